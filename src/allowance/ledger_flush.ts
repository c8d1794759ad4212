import type Database from 'better-sqlite3';

/** Decides which commits are flushed to the disk immediately. A flushed commit also flushes all earlier commits. */
export interface Flush {
  /** Flushes every commit from now on. */
  always(): void;
  /** Flushes the next commit only if the last flush was more than FLUSH_EVERY_MS ago. */
  ifDue(nowMs: number): void;
  /** Call this after each commit. */
  committed(nowMs: number): void;
}

/**
 * A flush takes ten times as much CPU time as a debit. At high rates, several debits therefore share one flush. A power
 * failure can lose the debits made in the last FLUSH_EVERY_MS. A killed process loses none.
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

// At fewer than 120 calls a minute, every debit is flushed.
const FLUSH_EVERY_MS = 500;
