import type Database from 'better-sqlite3';

/** Chooses the commits that reach the disk immediately. Such a commit also flushes all commits before it. */
export interface Flush {
  /** Flushes every commit from now on. */
  always(): void;
  /** Flushes the next commit only if the latest flush is older than FLUSH_EVERY_MS. */
  ifDue(nowMs: number): void;
  /** A commit was made. */
  committed(nowMs: number): void;
}

/**
 * A flush costs ten times as much processor time as a debit. At high rates, debits therefore share a flush. A power
 * failure can lose the debits of FLUSH_EVERY_MS; a killed process loses none.
 */
export function openFlush(db: Database.Database): Flush {
  let isOn = true;
  let flushedMs = Number.NEGATIVE_INFINITY;
  const set = (on: boolean): void => {
    if (on !== isOn) db.pragma(`synchronous = ${on ? 'FULL' : 'NORMAL'}`);
    isOn = on;
  };
  return {
    always: () => set(true),
    ifDue: (nowMs) => set(nowMs < flushedMs || nowMs - flushedMs >= FLUSH_EVERY_MS),
    committed: (nowMs) => {
      if (isOn) flushedMs = nowMs;
    },
  };
}

// Below 120 calls a minute, every debit is flushed.
const FLUSH_EVERY_MS = 500;
