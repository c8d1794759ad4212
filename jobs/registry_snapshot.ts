import { hostname } from 'node:os';
import type { Ledger, LedgerState } from '../src/allowance/ledger.ts';
import { isoTime } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { openLedgerOf } from '../src/operations/configured_ledger.ts';
import { requireCounts } from '../src/operations/ledger_loss.ts';
import { type Facts, type LockState, readFacts } from '../src/report/facts.ts';
import {
  type CallCount,
  callsBetween,
  lastProcessedCallId,
  lastRunOf,
  lastSuccessAt,
} from '../src/warehouse/activity.ts';
import { type QueuedBackfill, queuedBackfills } from '../src/warehouse/backfill.ts';
import { isAlive } from '../src/warehouse/lock.ts';
import type { RunRow } from '../src/warehouse/run.ts';
import { openWarehouse, type Warehouse } from '../src/warehouse/warehouse.ts';
import type { LastRun, QueueFacts } from './due_jobs.ts';
import { isScheduled, type JobDefinition } from './job.ts';
import { factSettings } from './schedules.ts';

/** The warehouse and the ledger at one time, as far as the worker needs to know them. */
export interface RegistrySnapshot {
  readonly facts: Facts;
  readonly queue: QueueFacts;
  /**
   * When each scheduled job's last successful run ended, in epoch milliseconds, by job name; null if no run has
   * succeeded.
   */
  readonly lastSuccesses: Readonly<Record<string, number | null>>;
  /** The backfills that must have a job in the queue. */
  readonly backfills: readonly QueuedBackfill[];
  /** The id of the last processed call. */
  readonly lastCallId: number;
  /** The calls processed after `afterCallId`. */
  readonly newCalls: readonly CallCount[];
}

export interface SnapshotRequest {
  readonly jobs: readonly JobDefinition[];
  readonly nowMs: number;
  /** The id of the last call that the metrics have counted; null if it is unknown. */
  readonly afterCallId: number | null;
}

/**
 * Reads one snapshot. Both files are opened and closed each time, so that the worker notices if a backup has replaced
 * the warehouse. This also means that an idle worker uses no memory for SQLite's page cache.
 *
 * @throws LostLedgerError if some of the warehouse's calls are missing from the ledger.
 */
export function readSnapshot(config: Config, request: SnapshotRequest): RegistrySnapshot {
  const { nowMs } = request;
  const warehouse = openWarehouse({ path: config.warehouse, readonly: true, nowMs });
  let ledger: Ledger | null = null;
  try {
    ledger = openLedgerOf(config);
    requireCounts({ config, warehouse, ledger }, nowMs);
    return readAll(config, warehouse, ledger, request);
  } finally {
    ledger?.close();
    warehouse.close();
  }
}

function readAll(
  config: Config,
  { db }: Warehouse,
  ledger: Ledger,
  { nowMs, afterCallId, ...request }: SnapshotRequest,
): RegistrySnapshot {
  const jobs = request.jobs.filter(isScheduled);
  const lastCallId = lastProcessedCallId(db);
  const settings = factSettings(config);
  const facts = readFacts({ nowMs, db, ledger, lostCalls: 0, settings, formatTime: isoTime });
  const isNew = afterCallId !== null && afterCallId < lastCallId;
  return {
    ...{ facts, lastCallId },
    lastSuccesses: Object.fromEntries(jobs.map(({ name }) => [name, timeOrNull(lastSuccessAt(db, name))])),
    backfills: queuedBackfills(db),
    newCalls: isNew ? callsBetween(db, afterCallId, lastCallId) : [],
    queue: {
      nowMs,
      lastRuns: Object.fromEntries(jobs.map(({ name }) => [name, asLastRun(lastRunOf(db, name))])),
      earlierDue: Object.fromEntries(jobs.map((job) => [job.name, job.earlierDue?.(db) ?? null])),
      closedUntilMs: closedUntil(facts.allowance.scheduled, nowMs),
      isHeld: facts.mirror !== null && isHeldByAnother(facts.mirror),
    },
  };
}

/**
 * Returns the time until which no call can be sent, because the allowance is used up or the upstream requested a long
 * pause. Null means that calls can be sent now, and Infinity that no quota will ever be available again.
 */
function closedUntil({ left, resumesAtMs, pausedUntilMs }: LedgerState, nowMs: number): number | null {
  if (left <= 0) return resumesAtMs ?? Number.POSITIVE_INFINITY;
  return pausedUntilMs !== null && pausedUntilMs - nowMs > LONG_PAUSE_MS ? pausedUntilMs : null;
}

function isHeldByAnother({ holder, isHeld }: LockState): boolean {
  if (holder === null || !isHeld) return false;
  return holder.host !== hostname() || (holder.pid !== process.pid && isAlive(holder.pid));
}

function asLastRun(row: RunRow | null): LastRun | null {
  if (row === null) return null;
  const { runId, startedAt, endedAt, ended, calls } = row;
  return { runId, startedAtMs: Date.parse(startedAt), endedAtMs: timeOrNull(endedAt), ended, calls };
}

function timeOrNull(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

// If a pause is longer than this, the engine ends the run instead of waiting.
const LONG_PAUSE_MS = 10 * 60_000;
