import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { HOUR_MS } from '../durations.ts';
import { row, run, value } from '../sqlite/statements.ts';
import type { RowOf } from './table.ts';
import { LOCK } from './tables.ts';

type LockRow = RowOf<typeof LOCK>;

/** A run that holds or wants the lock. Only one run can hold the lock at a time. */
type LockOwner = Pick<LockRow, 'owner' | 'pid' | 'host'>;

const HELD = ['owner', 'pid', 'host', 'takenAt', 'heartbeatAt'] as const;
export type LockHolder = Pick<LockRow, (typeof HELD)[number]> & { readonly yields: boolean };

/** If a run's last heartbeat is older than this, the run has died or hangs, so another run may take over its lock. */
export const LOCK_STALE_AFTER_MS = 30_000;

/** The same for a process that is alive on this host. */
const ALIVE_STALE_AFTER_MS = HOUR_MS;

export interface LockRequest extends LockOwner {
  readonly nowMs: number;
  /** True if this run ends early when another run asks for the lock (`askToStandAside`). */
  readonly yields?: boolean;
  /** Returns whether a process with this id is running on this host. */
  readonly isAlive: (pid: number) => boolean;
}

/**
 * Acquires the lock, or returns its current holder. The lock is taken over if the holder's heartbeat is stale, or if
 * the holder ran on this host and has died.
 */
export function acquireLock(
  db: Database,
  ask: LockRequest,
): { taken: true } | { taken: false; holder: LockHolder } {
  return db
    .transaction(() => {
      const holder = lockHolder(db);
      if (holder !== null && holder.owner !== ask.owner && isHeld(holder, ask))
        return { taken: false as const, holder };
      const now = isoTime(ask.nowMs);
      const { owner, pid, host, yields = false } = ask;
      const held = { name: 'run', owner, pid, host, takenAt: now, heartbeatAt: now } as const;
      LOCK.insert(db, { onConflict: 'update' })({ ...held, yields: yields ? 1 : 0, wantedAt: null });
      return { taken: true as const };
    })
    .immediate();
}

/** Renews the heartbeat. Returns false if another run has taken over the lock, and the caller must then stop. */
export function heartbeat(db: Database, owner: string, nowMs: number): boolean {
  return run(db, 'UPDATE _lock SET heartbeat_at = ? WHERE owner = ?', isoTime(nowMs), owner).changes === 1;
}

/** Asks the lock's holder to end early. */
export function askToStandAside(db: Database, holder: LockOwner, nowMs: number): void {
  run(db, 'UPDATE _lock SET wanted_at = ? WHERE owner = ? AND yields', isoTime(nowMs), holder.owner);
}

/** Returns whether another run has asked this holder to end early. */
export function isAskedToStandAside(db: Database, owner: string): boolean {
  return value(db, 'SELECT 1 FROM _lock WHERE owner = ? AND wanted_at IS NOT NULL', owner) !== undefined;
}

export function releaseLock(db: Database, owner: string): void {
  run(db, 'DELETE FROM _lock WHERE owner = ?', owner);
}

export function lockHolder(db: Database): LockHolder | null {
  const sql = `SELECT ${LOCK.selected(undefined, [...HELD, 'yields'])} FROM _lock`;
  const holder = row<Pick<LockRow, keyof LockHolder>>(db, sql);
  return holder === undefined ? null : { ...holder, yields: holder.yields === 1 };
}

/** Returns whether the holder's run is in progress, as far as its heartbeat and its process show it. */
export function isHeld(holder: LockHolder, ask: Pick<LockRequest, 'nowMs' | 'host' | 'isAlive'>): boolean {
  const ageMs = ask.nowMs - Date.parse(holder.heartbeatAt);
  if (holder.host !== ask.host) return ageMs <= LOCK_STALE_AFTER_MS;
  // The clock can have been set between two heartbeats of a living process. After an hour, another process has its id.
  return ageMs <= ALIVE_STALE_AFTER_MS && ask.isAlive(holder.pid);
}

/** Returns whether a process with this id is running on this host. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
