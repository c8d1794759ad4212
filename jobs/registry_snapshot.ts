import { hostname } from 'node:os';
import type { Ledger, LedgerState } from '../src/allowance/ledger.ts';
import type { Config } from '../src/config/config.ts';
import { openLedgerOf } from '../src/operations/assemble.ts';
import { type MirrorSnapshot, readMirror } from '../src/report/mirror_snapshot.ts';
import {
  type CallCount,
  callsBetween,
  lastFindOf,
  lastProcessedCallId,
  statisticsChangedAt,
} from '../src/warehouse/activity.ts';
import type { Coverage } from '../src/warehouse/coverage_counts.ts';
import type { FileSizes } from '../src/warehouse/health.ts';
import { isAlive } from '../src/warehouse/lock.ts';
import type { RunRow } from '../src/warehouse/run.ts';
import { openWarehouse, type Warehouse } from '../src/warehouse/warehouse.ts';
import type { LastRun, QueueFacts } from './due_jobs.ts';
import type { ScheduledName } from './job.ts';

/** All that the worker reads of warehouse and ledger, at one moment. */
export interface RegistrySnapshot {
  readonly facts: QueueFacts;
  readonly coverage: Coverage;
  readonly allowance: LedgerState;
  readonly lastSuccessAtMs: number | null;
  readonly quarantined: number;
  readonly sizes: FileSizes;
  /** The latest call in the warehouse, and what came after the one that was asked about. */
  readonly lastCallId: number;
  readonly newCalls: readonly CallCount[];
}

/**
 * Opens both files for reading, reads, and closes them again: a warehouse that was replaced by a backup is seen
 * at once, and nothing is kept in memory between two looks.
 */
export function readSnapshot(
  config: Config,
  nowMs: number,
  afterCallId: number | null = null,
): RegistrySnapshot {
  const warehouse = openWarehouse({ path: config.warehouse, readonly: true, nowMs });
  const ledger = openLedgerOf(config);
  try {
    return readAll(warehouse, ledger, nowMs, afterCallId);
  } finally {
    ledger.close();
    warehouse.close();
  }
}

function readAll(
  { db }: Warehouse,
  ledger: Ledger,
  nowMs: number,
  afterCallId: number | null,
): RegistrySnapshot {
  const allowance = ledger.state(nowMs);
  const latestCallId = lastProcessedCallId(db);
  const mirror = readMirror(db, nowMs);
  const lastRun = (name: ScheduledName) => asLastRun(mirror.lastRuns[name]);
  return {
    coverage: mirror.coverage,
    allowance,
    lastSuccessAtMs: timeOrNull(mirror.lastSuccessAt),
    quarantined: mirror.quarantined,
    sizes: mirror.files,
    lastCallId: latestCallId,
    newCalls:
      afterCallId === null || afterCallId >= latestCallId ? [] : callsBetween(db, afterCallId, latestCallId),
    facts: {
      nowMs,
      lastRuns: {
        'poll-stats': lastRun('poll-stats'),
        'sweep-search': lastRun('sweep-search'),
        'fetch-entities': lastRun('fetch-entities'),
      },
      news: {
        statisticsChangedAtMs: timeOrNull(statisticsChangedAt(db)),
        companiesFoundAtMs: timeOrNull(lastFindOf(db, 'sweep-search')),
      },
      closedUntilMs: closedUntil(allowance, nowMs),
      isHeld: isHeldByAnother(mirror),
    },
  };
}

/** Until when no call can be made: the allowance is spent, or the upstream asked for a long silence. */
export function closedUntil({ left, resumesAtMs, pausedUntilMs }: LedgerState, nowMs: number): number | null {
  if (left <= 0) return resumesAtMs ?? Number.POSITIVE_INFINITY;
  return pausedUntilMs !== null && pausedUntilMs - nowMs > LONG_PAUSE_MS ? pausedUntilMs : null;
}

function isHeldByAnother({ holder, isHeld }: MirrorSnapshot): boolean {
  if (holder === null || !isHeld) return false;
  if (holder.host !== hostname()) return true;
  return holder.pid !== process.pid && isAlive(holder.pid);
}

function asLastRun(row: RunRow | null): LastRun | null {
  if (row === null) return null;
  const { runId, startedAt, endedAt, ended, calls } = row;
  return { runId, startedAtMs: Date.parse(startedAt), endedAtMs: timeOrNull(endedAt), ended, calls };
}

function timeOrNull(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

// The engine ends a run that would have to wait longer than this.
const LONG_PAUSE_MS = 10 * 60_000;
