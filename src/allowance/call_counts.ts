import type Database from 'better-sqlite3';
import { windowLengthMs, windowRows } from './window_table.ts';

/** How many calls an account made, by the minute. Every method belongs inside a transaction of the ledger. */
export interface Counts {
  /** Counts calls at a moment. */
  add(calls: number, atMs: number): void;
  /** Takes back a call that was counted at this moment, and is still. */
  takeBack(atMs: number): void;
  /** Calls since the minute of `sinceMs`; `name` is the window's, whose sum is kept for the next time. */
  since(name: string, sinceMs: number): number;
  /** The same without writing anything. */
  peek(name: string, sinceMs: number): number;
  /** The time at which the oldest calls of a rolling window have stopped counting; null: never. */
  endOfOldestMs(oldest: OldestCalls): number | null;
  /** Calls that are counted later than this were made by then at the latest: there they count from here on. */
  bringBack(madeByMs: number): void;
  /** Forgets what no window that ends later can reach. */
  forget(nowMs: number): void;
}

export interface OldestCalls {
  /** The start of the window. */
  readonly sinceMs: number;
  /** The length of the window: a call counts for as long. */
  readonly lengthMs: number;
  /** The number of calls that have to stop counting. */
  readonly calls: number;
  /** Calls without a date get one by then at the latest. */
  readonly datedByMs: number;
}

export function openCounts(db: Database.Database, accountId: string): Counts {
  const keptSum = db.prepare<[string, string, number], { calls: number }>(
    'SELECT calls FROM window_spent WHERE account_id = ? AND name = ? AND since_ms = ?',
  );
  const sum = db
    .prepare<[string, number], number>(
      'SELECT coalesce(sum(calls), 0) FROM spent WHERE account_id = ? AND minute_ms >= ?',
    )
    .pluck();
  const keepSum = db.prepare(
    `INSERT INTO window_spent (account_id, name, since_ms, calls) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET since_ms = excluded.since_ms, calls = excluded.calls`,
  );
  const forgetSums = db.prepare('DELETE FROM window_spent WHERE account_id = ?');
  const addToMinute = db.prepare(
    `INSERT INTO spent (account_id, minute_ms, calls) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET calls = calls + excluded.calls`,
  );
  const addToSums = db.prepare(
    'UPDATE window_spent SET calls = calls + ? WHERE account_id = ? AND since_ms <= ?',
  );
  const minutesSince = db.prepare<[string, number], { minute_ms: number; calls: number }>(
    'SELECT minute_ms, calls FROM spent WHERE account_id = ? AND minute_ms >= ? ORDER BY minute_ms',
  );
  const forgetAfter = db.prepare('DELETE FROM spent WHERE account_id = ? AND minute_ms > ?');
  const takeFromMinute = db.prepare(
    'UPDATE spent SET calls = calls - 1 WHERE account_id = ? AND minute_ms = ? AND calls > 0',
  );
  const forgetBefore = db.prepare('DELETE FROM spent WHERE account_id = ? AND minute_ms < ?');

  const peek = (name: string, sinceMs: number): number => {
    const sinceMinute = minuteOf(sinceMs);
    return keptSum.get(accountId, name, sinceMinute)?.calls ?? sum.get(accountId, sinceMinute) ?? 0;
  };

  return {
    peek,
    add: (calls, atMs) => {
      const minute = minuteOf(atMs);
      addToMinute.run(accountId, minute, calls);
      addToSums.run(calls, accountId, minute);
    },
    takeBack: (atMs) => {
      const minute = minuteOf(atMs);
      // Its date may have become known meanwhile: then it counts there, and which one it was nobody can tell.
      if (takeFromMinute.run(accountId, minute).changes > 0) addToSums.run(-1, accountId, minute);
    },
    since: (name, sinceMs) => {
      const sinceMinute = minuteOf(sinceMs);
      const kept = keptSum.get(accountId, name, sinceMinute);
      if (kept !== undefined) return kept.calls;
      const calls = sum.get(accountId, sinceMinute) ?? 0;
      keepSum.run(accountId, name, sinceMinute, calls);
      return calls;
    },
    endOfOldestMs: ({ sinceMs, lengthMs, calls: wanted, datedByMs }) => {
      let released = 0;
      for (const { minute_ms, calls } of minutesSince.iterate(accountId, minuteOf(sinceMs))) {
        released += calls;
        if (released >= wanted) return Math.min(minute_ms, datedByMs) + MINUTE_MS + lengthMs;
      }
      return null;
    },
    bringBack: (madeByMs) => {
      const minute = minuteOf(madeByMs);
      const ahead = sum.get(accountId, minute + 1) ?? 0;
      forgetAfter.run(accountId, minute);
      if (ahead !== 0) addToMinute.run(accountId, minute, ahead);
      forgetSums.run(accountId);
    },
    forget: (nowMs) => void forgetBefore.run(accountId, nowMs - KEPT_MS),
  };
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS) * MINUTE_MS;
}

const MINUTE_MS = 60_000;
// Twice the longest window, because the limits can change from one run to the next.
const KEPT_MS =
  2 *
  Math.max(
    ...windowRows()
      .map(windowLengthMs)
      .filter((ms) => Number.isFinite(ms)),
  );
