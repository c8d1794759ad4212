import type { Ledger, LedgerState } from '../allowance/ledger.ts';
import { lastSuccessAt, openQuarantineCount } from '../warehouse/activity.ts';
import { type Coverage, readCoverage } from '../warehouse/coverage_counts.ts';
import { disabledReceivers } from '../warehouse/deliveries.ts';
import { type FileSizes, fileSizes } from '../warehouse/health.ts';
import { LOCK_STALE_AFTER_MS, type LockHolder, lockHolder } from '../warehouse/lock.ts';
import { type RunRow, recentRuns } from '../warehouse/run.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { type Health, healthOf } from './health.ts';
import { overdueSchedules, type Schedules } from './overdue_schedules.ts';
import type { FormatTime } from './problems.ts';

/**
 * One mirror's health and progress at one time. `status`, the status page and the worker all read this snapshot, and so
 * report the same figures. It is cheap enough to read every second.
 */
export interface MirrorSnapshot extends LockState {
  readonly nowMs: number;
  readonly coverage: Coverage;
  /** When the last successful run ended, UTC; null if no run has succeeded yet. */
  readonly lastSuccessAt: string | null;
  /** The latest runs, most recent first. */
  readonly runs: readonly RunRow[];
  /** The number of quarantine entries (responses and single items). */
  readonly quarantined: number;
  readonly files: FileSizes;
}

/** A warehouse's lock. */
export interface LockState {
  /** The run that holds the lock; null if no run holds it. */
  readonly holder: LockHolder | null;
  /** True if the holder's heartbeat is recent, which means that a run is in progress. */
  readonly isHeld: boolean;
}

/** Reads the warehouse in one transaction. */
export function readMirror(db: Warehouse['db'], nowMs: number): MirrorSnapshot {
  return db.transaction(
    (): MirrorSnapshot => ({
      nowMs,
      coverage: readCoverage(db),
      lastSuccessAt: lastSuccessAt(db),
      runs: recentRuns(db, MAX_RUNS),
      quarantined: openQuarantineCount(db),
      files: fileSizes(db),
      ...readLock(db, nowMs),
    }),
  )();
}

/** Reads only the lock, so that `doctor` can show it even if other tables are unreadable. */
export function readLock(db: Warehouse['db'], nowMs: number): LockState {
  const holder = lockHolder(db);
  return {
    holder,
    isHeld: holder !== null && nowMs - Date.parse(holder.heartbeatAt) <= LOCK_STALE_AFTER_MS,
  };
}

/** One account's remaining quota. Backfills have their own values, because they cannot use the reserve. */
export interface AllowanceSnapshot {
  readonly scheduled: LedgerState;
  readonly backfill: LedgerState;
}

export function readAllowance(ledger: Ledger, nowMs: number): AllowanceSnapshot {
  return { scheduled: ledger.state(nowMs), backfill: ledger.state(nowMs, 'backfill') };
}

/** The part of the configuration that the health status depends on. */
export interface HealthSettings extends Schedules {
  /** The last day of a paid licence (`2027-03-31`); null if unknown. */
  readonly licenceEnds: string | null;
  /** The names of the configured notification receivers. */
  readonly receivers: readonly string[];
}

export interface HealthSources {
  readonly nowMs: number;
  /** The warehouse and its snapshot; null if there is no mirror yet. */
  readonly mirror: { readonly db: Warehouse['db']; readonly snapshot: MirrorSnapshot } | null;
  readonly allowance: LedgerState;
  /** The number of calls missing from the ledger (see `HealthFacts`). */
  readonly lostCalls: number;
  readonly settings: HealthSettings;
  readonly formatTime: FormatTime;
}

/** Collects the facts for `healthOf`. */
export function readHealth(sources: HealthSources): Health {
  const { nowMs, mirror, allowance, lostCalls, settings, formatTime } = sources;
  const { isHeld = false, runs = [], lastSuccessAt = null, quarantined = 0 } = mirror?.snapshot ?? {};
  const facts = {
    ...{ nowMs, isRunning: isHeld, runs, lastSuccessAt, quarantined, allowance, lostCalls },
    licenceEnds: settings.licenceEnds,
    overdueSchedules: mirror === null ? [] : overdueSchedules(mirror.db, settings, nowMs),
    disabledReceivers: mirror === null ? [] : disabledReceivers(mirror.db, settings.receivers),
  };
  return healthOf(facts, formatTime);
}

const MAX_RUNS = 12;
