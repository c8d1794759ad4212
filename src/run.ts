import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Purpose } from './allowance/windows.ts';
import { assembleMirror, type House } from './assemble.ts';
import type { CallKind } from './call.ts';
import { isoTime } from './clock.ts';
import { type Ending, mirror } from './mirror.ts';
import type { Outcome } from './outcome.ts';
import type { Focus, Planner } from './plan/plan.ts';
import { EMPTY_TALLY, type Tally } from './tally.ts';
import { type Coverage, readCoverage } from './warehouse/coverage.ts';
import { acquireLock, heartbeat, type LockHolder, releaseLock } from './warehouse/lock.ts';
import { finishRun, startRun } from './warehouse/run.ts';

/** One bounded run over a warehouse, from cron, by hand or by a job. */
export interface RunOrder {
  /** For `_run.command`. */
  readonly command: string;
  readonly purpose: Purpose;
  readonly kinds: ReadonlySet<CallKind>;
  readonly focus: Focus;
  /** Chooses the calls in place of the usual planner; made once the lock is taken. */
  readonly openPlanner?: () => Planner;
  /** Infinity: no bound. */
  readonly maxCalls: number;
  readonly maxMinutes: number;
  readonly signal: AbortSignal;
  /** Told once the lock is taken: the number of this run in `_run`. */
  readonly onStarted?: (runId: number) => void;
  readonly onProgress?: (tally: Tally, last: Outcome) => void;
}

export const ALL_KINDS: ReadonlySet<CallKind> = new Set<CallKind>(['stats', 'search', 'entity']);

/** How a run ended, and what it brought. */
export interface RunReport {
  readonly runId: number | null;
  readonly ending: Ending | { readonly ended: 'another_run'; readonly holder: LockHolder };
  readonly tally: Tally;
  /** Calls that can still be spent; Infinity: no limit. */
  readonly callsLeft: number;
  readonly coverage: Coverage;
}

/** Takes the warehouse's lock, runs the engine, and records how it ended. */
export async function run(house: House, order: RunOrder): Promise<RunReport> {
  const { warehouse, clock } = house;
  const owner = `${hostname()}:${process.pid}:${randomUUID()}`;
  const lock = acquireLock(warehouse.db, {
    owner,
    pid: process.pid,
    host: hostname(),
    nowMs: clock.now(),
    isAlive,
  });
  if (!lock.taken) return reported(house, null, { ended: 'another_run', holder: lock.holder }, EMPTY_TALLY);

  const lost = new AbortController();
  const beat = setInterval(() => {
    if (!heartbeat(warehouse.db, owner, clock.now())) lost.abort();
  }, HEARTBEAT_MS);
  const runId = startRun(warehouse.db, { command: order.command, owner, nowMs: clock.now() });
  order.onStarted?.(runId);
  try {
    const { ending, tally } = await runEngine(
      house,
      order,
      runId,
      AbortSignal.any([order.signal, lost.signal]),
    );
    const error = 'why' in ending ? ending.why : null;
    finishRun(warehouse.db, { runId, ended: ending.ended, error, nowMs: clock.now() });
    return reported(house, runId, ending, tally);
  } catch (error) {
    finishRun(warehouse.db, { runId, ended: 'failed', error: messageOf(error), nowMs: clock.now() });
    throw error;
  } finally {
    clearInterval(beat);
    releaseLock(warehouse.db, owner);
  }
}

async function runEngine(house: House, order: RunOrder, runId: number, signal: AbortSignal) {
  const { purpose, kinds, focus, openPlanner, maxCalls, maxMinutes, onProgress } = order;
  const parts = assembleMirror(house, { runId, purpose, kinds, focus, openPlanner });
  try {
    const deadlineMs = house.clock.now() + maxMinutes * 60_000;
    return await mirror(parts, { purpose, maxCalls, deadlineMs, signal, ...(onProgress && { onProgress }) });
  } finally {
    parts.close();
  }
}

function reported(house: House, runId: number | null, ending: RunReport['ending'], tally: Tally): RunReport {
  const { ledger, warehouse, clock } = house;
  return {
    runId,
    ending,
    tally,
    callsLeft: ledger.state(clock.now()).left,
    coverage: readCoverage(warehouse.db),
  };
}

/** The documented `data` of `sync --json`. */
export function reportData(report: RunReport) {
  const { ending, tally, callsLeft, coverage } = report;
  const resumesAtMs = 'resumesAtMs' in ending ? ending.resumesAtMs : null;
  return {
    ended: ending.ended,
    why: 'why' in ending ? ending.why : null,
    run_id: report.runId,
    calls_spent: tally.calls,
    calls_left: callsLeft === Infinity ? null : callsLeft,
    resumes_at: resumesAtMs === null ? null : isoTime(resumesAtMs),
    new: tally.listed,
    fetched: tally.fetched,
    changed: tally.changed,
    gone: tally.gone,
    quarantined: tally.quarantined,
    failed: tally.failed,
    coverage: coverage.knownShare,
    known: coverage.known,
    records: coverage.fetched,
    registry_total: coverage.registryTotal,
  };
}

/** Is there a process of this id on this host? */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const HEARTBEAT_MS = 5000;
