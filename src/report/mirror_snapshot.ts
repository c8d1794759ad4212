import type { Ledger, LedgerState } from '../allowance/ledger.ts';
import { lastSuccessAt, openQuarantineCount } from '../warehouse/activity.ts';
import { type Coverage, readCoverage } from '../warehouse/coverage_counts.ts';
import { type FileSizes, fileSizes } from '../warehouse/health.ts';
import { LOCK_STALE_AFTER_MS, type LockHolder, lockHolder } from '../warehouse/lock.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

/**
 * Health and progress of one mirror at one time. `status`, the status page and the worker read it, so that they
 * report the same figures. Every value is cheap enough to be read once per second.
 */
export interface MirrorSnapshot extends LockState {
  readonly nowMs: number;
  readonly coverage: Coverage;
  /** The end of the latest successful run, UTC; null: no run succeeded yet. */
  readonly lastSuccessAt: string | null;
  /** Responses, and items of responses, in quarantine. */
  readonly quarantined: number;
  readonly files: FileSizes;
}

/** The lock of a warehouse. */
export interface LockState {
  /** The run that holds the lock; null: no run holds it. */
  readonly holder: LockHolder | null;
  /** The holder's heartbeat is recent: a run is in progress. */
  readonly isHeld: boolean;
}

/** Reads the warehouse in one transaction. */
export function readMirror(db: Warehouse['db'], nowMs: number): MirrorSnapshot {
  return db.transaction(
    (): MirrorSnapshot => ({
      nowMs,
      coverage: readCoverage(db),
      lastSuccessAt: lastSuccessAt(db),
      quarantined: openQuarantineCount(db),
      files: fileSizes(db),
      ...readLock(db, nowMs),
    }),
  )();
}

/** The lock alone; `doctor` reads it even if other tables are unreadable. */
export function readLock(db: Warehouse['db'], nowMs: number): LockState {
  const holder = lockHolder(db);
  return {
    holder,
    isHeld: holder !== null && nowMs - Date.parse(holder.heartbeatAt) <= LOCK_STALE_AFTER_MS,
  };
}

/** The quota left of one account, by purpose: the reserve is not available to backfills. */
export interface AllowanceSnapshot {
  readonly scheduled: LedgerState;
  readonly backfill: LedgerState;
}

export function readAllowance(ledger: Ledger, nowMs: number): AllowanceSnapshot {
  return { scheduled: ledger.state(nowMs), backfill: ledger.state(nowMs, 'backfill') };
}
