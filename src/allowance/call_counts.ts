import type { Database } from 'better-sqlite3';
import { MINUTE_MS } from '../durations.ts';
import { rows, run, value } from '../sqlite/statements.ts';
import { windowLengthMs, windowRows } from './window_table.ts';

/** The number of calls that an account made in each minute. Call every method inside a ledger transaction. */
export class CallCounts {
  readonly #db: Database;
  readonly #accountId: string;

  constructor(db: Database, accountId: string) {
    this.#db = db;
    this.#accountId = accountId;
  }

  /** Adds calls to the minute that includes `atMs`. */
  add(calls: number, atMs: number): void {
    const sql = `INSERT INTO spent (account_id, minute_ms, calls) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET calls = calls + excluded.calls`;
    run(this.#db, sql, this.#accountId, minuteOf(atMs), calls);
  }

  /**
   * Removes one call from the minute that includes `atMs`. Returns false if no call was counted in it: `bringBack` may
   * have moved the call to another minute, and the counts do not identify individual calls.
   */
  takeBack(atMs: number): boolean {
    const sql = 'UPDATE spent SET calls = calls - 1 WHERE account_id = ? AND minute_ms = ? AND calls > 0';
    return run(this.#db, sql, this.#accountId, minuteOf(atMs)).changes > 0;
  }

  /** Returns the number of calls since the start of the minute that includes `sinceMs`. */
  since(sinceMs: number): number {
    const sql = 'SELECT coalesce(sum(calls), 0) FROM spent WHERE account_id = ? AND minute_ms >= ?';
    return value<number>(this.#db, sql, this.#accountId, minuteOf(sinceMs)) ?? 0;
  }

  /** Returns the time at which the oldest calls leave a rolling window; null if they never do. */
  endOfOldestMs({ sinceMs, lengthMs, calls: wanted }: OldestCalls): number | null {
    const sql =
      'SELECT minute_ms, calls FROM spent WHERE account_id = ? AND minute_ms >= ? ORDER BY minute_ms';
    let released = 0;
    for (const { minute_ms, calls } of rows<Minute>(this.#db, sql, this.#accountId, minuteOf(sinceMs))) {
      released += calls;
      if (released >= wanted) return minute_ms + MINUTE_MS + lengthMs;
    }
    return null;
  }

  /**
   * Moves all calls counted after `madeByMs` to the minute that includes `madeByMs`, because no call was made after
   * that time.
   */
  bringBack(madeByMs: number): void {
    const nextMinuteMs = minuteOf(madeByMs) + MINUTE_MS;
    const calls = this.since(nextMinuteMs);
    if (calls === 0) return;
    run(this.#db, 'DELETE FROM spent WHERE account_id = ? AND minute_ms >= ?', this.#accountId, nextMinuteMs);
    this.add(calls, madeByMs);
  }

  /** Deletes the counts that no window at `nowMs` or later needs. */
  deleteOld(nowMs: number): void {
    run(
      this.#db,
      'DELETE FROM spent WHERE account_id = ? AND minute_ms < ?',
      this.#accountId,
      nowMs - KEPT_MS,
    );
  }
}

interface Minute {
  readonly minute_ms: number;
  readonly calls: number;
}

interface OldestCalls {
  readonly sinceMs: number;
  /** The window's length. Each call is counted for this long. */
  readonly lengthMs: number;
  /** The number of calls that must leave the window before another call is possible. */
  readonly calls: number;
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
