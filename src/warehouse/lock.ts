import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';

/** Who holds, or wants, the warehouse: one run at a time. */
export interface LockOwner {
  /** Unique per run, so that a process that was taken over notices. */
  readonly owner: string;
  readonly pid: number;
  readonly host: string;
}

export interface LockHolder extends LockOwner {
  /** It lets another run through that asks. */
  readonly yields: boolean;
  readonly takenAt: string;
  readonly heartbeatAt: string;
}

/** A heartbeat older than this belongs to a run that died, or hung, without letting go. */
export const LOCK_STALE_AFTER_MS = 30_000;

export interface LockAsk extends LockOwner {
  readonly nowMs: number;
  /** This run will let another one through that asks (`askToStandAside`). */
  readonly yields?: boolean;
  /** Is a process of this id alive on this host? */
  readonly isAlive: (pid: number) => boolean;
}

/** Takes the lock, or says who holds it. A holder that is stale, or dead on this host, is taken over. */
export function acquireLock(
  db: Database,
  ask: LockAsk,
): { taken: true } | { taken: false; holder: LockHolder } {
  return db
    .transaction(() => {
      const holder = lockHolder(db);
      if (holder !== null && isHeld(holder, ask)) return { taken: false as const, holder };
      const now = isoTime(ask.nowMs);
      db.prepare(
        "INSERT OR REPLACE INTO _lock (name, owner, pid, host, taken_at, heartbeat_at, yields) VALUES ('run', ?, ?, ?, ?, ?, ?)",
      ).run(ask.owner, ask.pid, ask.host, now, now, ask.yields === true ? 1 : 0);
      return { taken: true as const };
    })
    .immediate();
}

/** Shows that the owner lives. False: another run took over, so this one must stop. */
export function heartbeat(db: Database, owner: string, nowMs: number): boolean {
  return (
    db.prepare('UPDATE _lock SET heartbeat_at = ? WHERE owner = ?').run(isoTime(nowMs), owner).changes === 1
  );
}

/** Asks the holder to let another run through. */
export function askToStandAside(db: Database, holder: LockOwner, nowMs: number): void {
  db.prepare('UPDATE _lock SET wanted_at = ? WHERE owner = ? AND yields').run(isoTime(nowMs), holder.owner);
}

/** Was this holder asked to let another run through? */
export function isAskedToStandAside(db: Database, owner: string): boolean {
  return db.prepare('SELECT 1 FROM _lock WHERE owner = ? AND wanted_at IS NOT NULL').get(owner) !== undefined;
}

export function releaseLock(db: Database, owner: string): void {
  db.prepare('DELETE FROM _lock WHERE owner = ?').run(owner);
}

export function lockHolder(db: Database): LockHolder | null {
  const row = db
    .prepare<[], Omit<LockHolder, 'yields'> & { yields: 0 | 1 }>(
      'SELECT owner, pid, host, taken_at AS takenAt, heartbeat_at AS heartbeatAt, yields FROM _lock',
    )
    .get();
  return row === undefined ? null : { ...row, yields: row.yields === 1 };
}

function isHeld(holder: LockHolder, ask: LockAsk): boolean {
  if (holder.owner === ask.owner) return false;
  if (ask.nowMs - Date.parse(holder.heartbeatAt) > LOCK_STALE_AFTER_MS) return false;
  return holder.host !== ask.host || ask.isAlive(holder.pid);
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
