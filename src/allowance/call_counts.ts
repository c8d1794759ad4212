import type Database from 'better-sqlite3';
import { MINUTE_MS } from '../durations.ts';
import { windowLengthMs, windowRows } from './window_table.ts';

/** The number of calls that an account made in each minute. Call every method inside a ledger transaction. */
export interface CallCounts {
  /** Adds calls to the minute that includes `atMs`. */
  add(calls: number, atMs: number): void;
  /** Removes one call from the minute that includes `atMs`. Returns false if no call was counted in it. */
  takeBack(atMs: number): boolean;
  /** Returns the number of calls since the start of the minute that includes `sinceMs`. */
  since(sinceMs: number): number;
  /** Returns the time at which the oldest calls leave a rolling window; null if they never do. */
  endOfOldestMs(oldest: OldestCalls): number | null;
  /**
   * Moves all calls counted after `madeByMs` to the minute that includes `madeByMs`, because no call was made after
   * that time.
   */
  bringBack(madeByMs: number): void;
  /** Deletes the counts that no window at `nowMs` or later needs. */
  deleteOld(nowMs: number): void;
}

interface OldestCalls {
  readonly sinceMs: number;
  /** The window's length. Each call is counted for this long. */
  readonly lengthMs: number;
  /** The number of calls that must leave the window before another call is possible. */
  readonly calls: number;
}

export function openCallCounts(db: Database.Database, accountId: string): CallCounts {
  const sum = db
    .prepare<[string, number], number>(
      'SELECT coalesce(sum(calls), 0) FROM spent WHERE account_id = ? AND minute_ms >= ?',
    )
    .pluck();
  const add = db.prepare(
    `INSERT INTO spent (account_id, minute_ms, calls) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET calls = calls + excluded.calls`,
  );
  const minutesSince = db.prepare<[string, number], { minute_ms: number; calls: number }>(
    'SELECT minute_ms, calls FROM spent WHERE account_id = ? AND minute_ms >= ? ORDER BY minute_ms',
  );
  const deleteFrom = db.prepare('DELETE FROM spent WHERE account_id = ? AND minute_ms >= ?');
  const takeFromMinute = db.prepare(
    'UPDATE spent SET calls = calls - 1 WHERE account_id = ? AND minute_ms = ? AND calls > 0',
  );
  const deleteBefore = db.prepare('DELETE FROM spent WHERE account_id = ? AND minute_ms < ?');

  return {
    add: (calls, atMs) => void add.run(accountId, minuteOf(atMs), calls),
    // `bringBack` may have moved the call to another minute. If so, the call is not removed, because the counts do not
    // identify individual calls.
    takeBack: (atMs) => takeFromMinute.run(accountId, minuteOf(atMs)).changes > 0,
    since: (sinceMs) => sum.get(accountId, minuteOf(sinceMs)) ?? 0,
    endOfOldestMs: ({ sinceMs, lengthMs, calls: wanted }) => {
      let released = 0;
      for (const { minute_ms, calls } of minutesSince.iterate(accountId, minuteOf(sinceMs))) {
        released += calls;
        if (released >= wanted) return minute_ms + MINUTE_MS + lengthMs;
      }
      return null;
    },
    bringBack: (madeByMs) => {
      const minute = minuteOf(madeByMs);
      const calls = sum.get(accountId, minute + 1) ?? 0;
      if (calls === 0) return;
      deleteFrom.run(accountId, minute + 1);
      add.run(accountId, minute, calls);
    },
    deleteOld: (nowMs) => void deleteBefore.run(accountId, nowMs - KEPT_MS),
  };
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS) * MINUTE_MS;
}

// Counts are kept for twice the longest window, because the limits can change from one run to the next.
const KEPT_MS =
  2 *
  Math.max(
    ...windowRows()
      .map(windowLengthMs)
      .filter((ms) => Number.isFinite(ms)),
  );
