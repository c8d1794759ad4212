import { CLOCK_REMEDY, CLOCK_TOLERANCE_MS, clockFaultText } from '../allowance/ledger_clock.ts';
import type { CallKind } from '../call.ts';
import { isoTime, utcMinute } from '../clock.ts';
import { credentialsOf } from '../config/credentials.ts';
import { type Ending, hasFailed } from '../ending.ts';
import { FailedError } from '../errors.ts';
import { type MirrorParts, mirror, type OnProgress } from '../mirror.ts';
import { deliverDue, registerReceivers, storeDigests } from '../notify/notify.ts';
import type { Outcome } from '../outcome.ts';
import { RejectionCheck } from '../plan/rejection_check.ts';
import { rejectedKinds } from '../report/completion_forecast.ts';
import type { CoverageEstimate } from '../report/coverage_estimate.ts';
import { coverageEstimateOf } from '../report/facts.ts';
import { counted } from '../report/figures.ts';
import { EMPTY_TOTALS, type RunTotals } from '../run_totals.ts';
import { explainSqlite } from '../sqlite/database_file.ts';
import { LostFileError } from '../sqlite/file_check.ts';
import { isAddressDoubted, lastCallTime } from '../warehouse/call.ts';
import { type Coverage, readCoverage } from '../warehouse/coverage_counts.ts';
import { lastFetchedId } from '../warehouse/known.ts';
import { isAskedToStandAside, type LockHolder } from '../warehouse/lock.ts';
import { setRecordsDoubted } from '../warehouse/meta.ts';
import { findRun } from '../warehouse/run.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { assembleMirror, type Order, type Workspace } from './assemble.ts';
import { requireLedger, stampLedger } from './ledger_loss.ts';
import { lockFor, lockRequest, recordedRun } from './locked_run.ts';
import { explainedEnding, isUnusable } from './unusable_responses.ts';

/**
 * One run of the engine, started by cron, a user or a worker's job. By default, it is a scheduled run of all kinds of
 * calls with the configured focus.
 */
export interface RunOrder extends RunBounds, Partial<Omit<Order, 'runId' | 'guards'>> {
  /** The value for `_run.command`. */
  readonly command: string;
  /** Assembles the engine differently, for a probe. */
  readonly assemble?: (runId: number) => MirrorParts & { close(): void };
  /** Called after the engine has ended, while the lock is still held. */
  readonly onEnded?: (runId: number) => void;
}

/** The limits and observers of a run. */
export interface RunBounds {
  /** The maximum number of calls. Default: no limit. */
  readonly maxCalls?: number;
  /** Default: no limit. */
  readonly maxMinutes?: number;
  readonly signal: AbortSignal;
  /** Called after the lock is taken, with the run's id in `_run`. */
  readonly onStarted?: (runId: number) => void;
  readonly onProgress?: OnProgress;
}

/** An order with a value for each default. */
type WholeOrder = RunOrder &
  Required<Pick<RunOrder, 'purpose' | 'kinds' | 'focus' | 'maxCalls' | 'maxMinutes'>>;

export const ALL_KINDS: ReadonlySet<CallKind> = new Set<CallKind>(['stats', 'search', 'entity']);

/**
 * Takes the warehouse's lock, runs the engine, and records how it ended.
 *
 * @throws UsageError if the key is not known.
 * @throws FailedError if the warehouse or the ledger can no longer be read or written.
 */
export async function runEngine(workspace: Workspace, order: RunOrder): Promise<RunReport> {
  // A run without a key must fail before it takes the lock.
  credentialsOf(workspace.config.upstream);
  let runId: number | null = null;
  const whole: WholeOrder = {
    purpose: 'scheduled',
    kinds: ALL_KINDS,
    focus: workspace.config.focus,
    maxCalls: Number.POSITIVE_INFINITY,
    maxMinutes: Number.POSITIVE_INFINITY,
    ...order,
    onStarted: (id) => {
      runId = id;
      order.onStarted?.(id);
    },
  };
  try {
    const report = await runUnderLock(workspace, whole);
    await deliverDue(workspace);
    return report;
  } catch (error) {
    const isLost = error instanceof LostFileError && error.path === workspace.warehouse.path;
    if (isLost && runId !== null) throw withLostCalls(error, workspace.warehouse.db, runId);
    throw explainSqlite(error, `the warehouse ${workspace.warehouse.path}`);
  }
}

/** Adds this run's calls to the message, because only the lost file recorded them. */
function withLostCalls(error: LostFileError, db: Warehouse['db'], runId: number): FailedError {
  const calls = findRun(db, runId)?.calls ?? 0;
  const lost = `Lost with it: this run's ${counted(calls, 'call')}, and its in-flight calls`;
  return new FailedError(`${error.message}. ${lost}`, {
    ...(error.hint !== null && { hint: error.hint }),
    cause: error,
  });
}

async function runUnderLock(workspace: Workspace, order: WholeOrder): Promise<RunReport> {
  const { db } = workspace.warehouse;
  const { clock } = workspace;
  const yields = order.purpose === 'backfill';
  const request = lockRequest(yields);
  const { owner } = request;
  const lock = await lockFor(workspace, order, request);
  if (!lock.taken)
    return reportOf(workspace, order, {
      runId: null,
      ending: { ended: 'another_run', holder: lock.holder },
      totals: EMPTY_TOTALS,
    });

  const aside = new AbortController();
  const onBeat = () => {
    if (yields && isAskedToStandAside(db, owner)) aside.abort();
  };
  const { report } = await recordedRun(
    workspace,
    { command: order.command, owner, onBeat },
    async (runId, lost) => {
      order.onStarted?.(runId);
      registerReceivers(workspace);
      if (order.trustsClock !== true) requireClock(workspace);
      requireLedger({ ...workspace, runId }, clock.now());
      const signal = AbortSignal.any([order.signal, lost, aside.signal]);
      const { ending: reached, totals } = await sendCalls(workspace, order, runId, signal);
      const ending = reached.ended === 'done' ? (refusalIn(workspace) ?? reached) : reached;
      // This write also detects whether the file was lost before the run ended.
      workspace.warehouse.write(() => stampLedger(workspace));
      order.onEnded?.(runId);
      const { ended } = ending;
      const error = 'why' in ending ? (ending.why ?? null) : null;
      const hasStoodAside = ended === 'interrupted' && aside.signal.aborted && !order.signal.aborted;
      storeDigests(workspace, { healthy: !hasFailed({ ended }), ended, why: error });
      const report = { ...reportOf(workspace, order, { runId, ending, totals }), hasStoodAside };
      return { ended: hasStoodAside ? 'stood_aside' : ended, error, report };
    },
  );
  return report;
}

async function sendCalls(workspace: Workspace, order: WholeOrder, runId: number, signal: AbortSignal) {
  const { purpose, openPlanner, maxCalls, maxMinutes, onProgress } = order;
  const rejections = openRejectionCheck(workspace.warehouse);
  const parts =
    order.assemble?.(runId) ?? assembleMirror(workspace, { ...order, runId, guards: [rejections] });
  try {
    const deadlineMs = workspace.clock.now() + maxMinutes * 60_000;
    let lastUnusable: Outcome | null = null;
    let hasUsable = false;
    const { db } = workspace.warehouse;
    const mirrored = await mirror(parts, {
      purpose,
      maxCalls,
      deadlineMs,
      // If the last calls in earlier runs did not reach the API, one call is enough to confirm that the URL is still
      // wrong.
      wrongAddressLimit: order.assemble === undefined ? (isAddressDoubted(db) ? 1 : 2) : Infinity,
      signal,
      onProgress: (totals, outcomes) => {
        lastUnusable = outcomes.findLast(isUnusable) ?? lastUnusable;
        hasUsable ||= outcomes.some((outcome) => outcome.call.kind !== 'stats' && !isUnusable(outcome));
        workspace.warehouse.write(() => stampLedger(workspace));
        onProgress?.(totals, outcomes);
      },
    });
    if (order.assemble !== undefined) return mirrored;
    storeDoubt(rejections, workspace.warehouse);
    const knowsNothing = openPlanner === undefined && readCoverage(db).known === 0;
    const { config } = workspace;
    const { rejection } = rejections;
    const foundNothing = knowsNothing && !hasUsable;
    const facts = { config, totals: mirrored.totals, lastUnusable, rejection, foundNothing };
    return { ...mirrored, ending: explainedEnding(mirrored.ending, facts) };
  } finally {
    parts.close();
  }
}

/** Returns the ending of a run for which nothing is due, if the upstream refused the key in the last call. */
function refusalIn({ ledger, clock }: Workspace): Ending | null {
  const { refusedKey } = ledger.state(clock.now());
  if (refusedKey === null) return null;
  return { ended: 'unauthorised', why: `it did so on ${utcMinute(refusedKey.sinceMs)}` };
}

/** Stops a run whose clock is behind the last call in the warehouse, because ages and dates would then be wrong. */
function requireClock({ warehouse: { db }, clock }: Workspace): void {
  const latestMs = Date.parse(lastCallTime(db) ?? '') || 0;
  const byMs = latestMs - clock.now();
  if (byMs <= CLOCK_TOLERANCE_MS) return;
  throw new FailedError(`${clockFaultText({ is: 'behind', byMs, latestMs })}. ${CLOCK_REMEDY}`);
}

function reportOf(
  { ledger, warehouse, clock, config }: Workspace,
  { purpose, assemble }: WholeOrder,
  { runId, ending, totals }: Pick<RunReport, 'runId' | 'ending' | 'totals'>,
): RunReport {
  const coverage = readCoverage(warehouse.db);
  const findsAll = purpose === 'scheduled' && assemble === undefined && config.scope === 'whole';
  return {
    runId,
    ending,
    totals,
    callsLeft: ledger.state(clock.now()).left,
    coverage,
    coverageEstimate: findsAll ? coverageEstimateOf(warehouse.db, coverage) : null,
    hasStoodAside: false,
  };
}

/** Opens the guard that notices if the upstream rejects every search or every record call. */
function openRejectionCheck({ db }: Warehouse): RejectionCheck {
  return new RejectionCheck({ doubted: rejectedKinds(db), witness: () => lastFetchedId(db) });
}

/** Stores whether the next run must check record calls. The stored control query shows whether it must check searches. */
function storeDoubt(check: RejectionCheck, warehouse: Warehouse): void {
  warehouse.write(() => setRecordsDoubted(warehouse.db, check.isDoubted('entity')));
}

/** How a run ended, and its totals. */
export interface RunReport {
  readonly runId: number | null;
  readonly ending: Ending | { readonly ended: 'another_run'; readonly holder: LockHolder };
  readonly totals: RunTotals;
  /** The remaining quota. Infinity means no limit. */
  readonly callsLeft: number;
  readonly coverage: Coverage;
  /** The known share of the registry; null if the run did not have to find every company. */
  readonly coverageEstimate: CoverageEstimate | null;
  /** Whether the run stopped to let a scheduled run take the lock. The work can resume after the scheduled run. */
  readonly hasStoodAside: boolean;
}

/** Returns the `data` object of `sync --json`, as documented. */
export function reportData(report: RunReport) {
  const { ending, totals, callsLeft, coverage } = report;
  const resumesAtMs = 'resumesAtMs' in ending ? ending.resumesAtMs : null;
  return {
    ended: ending.ended,
    why: 'why' in ending ? (ending.why ?? null) : null,
    run_id: report.runId,
    calls_spent: totals.calls,
    calls_left: callsLeft === Infinity ? null : callsLeft,
    resumes_at: resumesAtMs === null ? null : isoTime(resumesAtMs),
    new: totals.listed,
    fetched: totals.fetched,
    changed: totals.changed,
    gone: totals.gone,
    quarantined: totals.quarantined,
    failed: totals.failed,
    coverage: coverage.knownShare,
    known: coverage.known,
    records: coverage.fetched,
    registry_total: coverage.registryTotal,
  };
}
