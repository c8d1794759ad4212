import type Database from 'better-sqlite3';
import { DAY_MS, HOUR_MS } from '../durations.ts';

/** One row in the table `account`. Times are epoch milliseconds. */
export interface Account {
  /** The number of calls counted since the ledger was created. It excludes `already_spent`. */
  readonly spent_ever: number;
  /** Units ever debited, including units that were returned later. The number never decreases. */
  readonly debits: number;
  readonly last_spent_ms: number;
  readonly next_slot_ms: number;
  readonly paused_at_ms: number;
  readonly paused_until_ms: number;
  readonly exhausted_at_ms: number | null;
  readonly exhausted_until_ms: number | null;
  /**
   * The quota that was left by the ledger's own count when the upstream reported an exhausted allowance; null if there
   * is no limit.
   */
  readonly exhausted_left: number | null;
  /** How many times the upstream has reported an exhausted allowance since the last successful call. */
  readonly exhausted_times: number;
  readonly refused_key: string | null;
  readonly refused_at_ms: number | null;
  readonly worked_key: string | null;
  /** The number of runs ever started. This number never decreases. */
  readonly starts: number;
  /** The id of the boot that started at `booted_ms`. */
  readonly boot_id: string | null;
  /** The machine's boot time according to the clock when it was first read or last confirmed. */
  readonly booted_ms: number | null;
  /** The remaining quota that the upstream reported, minus the calls since then; null if there is no report. */
  readonly reported_left: number | null;
  /** When the call that produced this report was sent. */
  readonly reported_at_ms: number;
  readonly reported_until_ms: number;
  /** The shortest time between two calls that the upstream permits; 0 if it reported none. */
  readonly reported_spacing_ms: number;
  readonly spaced_at_ms: number;
}

export interface AccountTable {
  read(): Account;
  /** Writes the columns for slots, pauses, exhaustion and the boot time. Other methods write the remaining columns. */
  write(account: Account): void;
  /** Counts the calls, and stores the first call's slot and the next free slot. */
  take(calls: number, firstMs: number, nextSlotMs: number): void;
  giveBack(): void;
  /** Counts another started run. */
  start(): void;
  /** Pauses until `untilMs`, unless a longer pause is stored. */
  pause(untilMs: number, nowMs: number): void;
  /** Stores the remaining quota that the upstream reported. */
  reportLeft(report: { readonly left: number; readonly atMs: number; readonly untilMs: number }): void;
  /** Stores the shortest time between two calls that the upstream reported. */
  reportSpacing(spacingMs: number, nowMs: number): void;
  /** Stores a rejected key's fingerprint. */
  rejectKey(fingerprint: string, nowMs: number): void;
  /** Deletes the rejected key, the pause, the exhaustion and the reported quota. */
  liftStops(): void;
  /** Stores the fingerprint of a key that the upstream has accepted. */
  confirmKey(fingerprint: string): void;
}

/** Opens an account's row, creating it if necessary. */
export function openAccount(db: Database.Database, accountId: string): AccountTable {
  db.prepare('INSERT INTO account (account_id) VALUES (?) ON CONFLICT DO NOTHING').run(accountId);
  const read = db.prepare<[string], Account>('SELECT * FROM account WHERE account_id = ?');
  const write = db.prepare(
    `UPDATE account SET
       last_spent_ms = @last_spent_ms, next_slot_ms = @next_slot_ms,
       paused_at_ms = @paused_at_ms, paused_until_ms = @paused_until_ms,
       exhausted_at_ms = @exhausted_at_ms, exhausted_until_ms = @exhausted_until_ms,
       exhausted_left = @exhausted_left, exhausted_times = @exhausted_times,
       boot_id = @boot_id, booted_ms = @booted_ms
     WHERE account_id = @accountId`,
  );
  const take = db.prepare(
    `UPDATE account SET spent_ever = spent_ever + @calls, debits = debits + @calls,
       last_spent_ms = @firstMs, next_slot_ms = @nextSlotMs,
       reported_left = max(0, reported_left - @calls)
     WHERE account_id = @accountId`,
  );
  const giveBack = db.prepare(
    `UPDATE account SET spent_ever = spent_ever - 1, reported_left = reported_left + 1 WHERE account_id = ?`,
  );
  const start = db.prepare('UPDATE account SET starts = starts + 1 WHERE account_id = ?');
  const pause = db.prepare(
    `UPDATE account SET paused_at_ms = @nowMs, paused_until_ms = @untilMs
     WHERE account_id = @accountId AND paused_until_ms < @untilMs`,
  );
  const reportLeft = db.prepare(
    `UPDATE account SET reported_left = @left, reported_at_ms = @atMs, reported_until_ms = @untilMs
     WHERE account_id = @accountId`,
  );
  const reportSpacing = db.prepare(
    'UPDATE account SET reported_spacing_ms = ?, spaced_at_ms = ? WHERE account_id = ?',
  );
  const rejectKey = db.prepare('UPDATE account SET refused_key = ?, refused_at_ms = ? WHERE account_id = ?');
  const liftStops = db.prepare(
    `UPDATE account SET refused_key = NULL, refused_at_ms = NULL, paused_until_ms = 0, exhausted_until_ms = NULL,
       reported_left = NULL, reported_spacing_ms = 0
     WHERE account_id = ?`,
  );
  const confirmKey = db.prepare(
    'UPDATE account SET worked_key = ?, exhausted_times = 0 WHERE account_id = ?',
  );
  return {
    read: () => read.get(accountId) as Account,
    write: (account) => void write.run({ ...account, accountId }),
    take: (calls, firstMs, nextSlotMs) => void take.run({ calls, firstMs, nextSlotMs, accountId }),
    giveBack: () => void giveBack.run(accountId),
    start: () => void start.run(accountId),
    pause: (untilMs, nowMs) => void pause.run({ accountId, untilMs, nowMs }),
    reportLeft: (report) => void reportLeft.run({ ...report, accountId }),
    reportSpacing: (spacingMs, nowMs) => void reportSpacing.run(spacingMs, nowMs, accountId),
    rejectKey: (fingerprint, nowMs) => void rejectKey.run(fingerprint, nowMs, accountId),
    liftStops: () => void liftStops.run(accountId),
    confirmKey: (fingerprint) => void confirmKey.run(fingerprint, accountId),
  };
}

/**
 * The warehouses that share one account's allowance. Each warehouse plans as if it had the whole allowance to itself.
 */
export interface Users {
  /** Records that a warehouse uses the allowance. */
  record(warehouse: string, nowMs: number): void;
  /** The paths of the warehouses recorded in the last `FORGOTTEN_AFTER_MS`, most recent first. */
  list(nowMs: number): string[];
}

export function openUsers(db: Database.Database, accountId: string): Users {
  const record = db.prepare(
    `INSERT INTO user (account_id, warehouse, used_at_ms) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET used_at_ms = excluded.used_at_ms WHERE used_at_ms < excluded.used_at_ms - ${RESOLUTION_MS}`,
  );
  const list = db
    .prepare<[string, number], string>(
      'SELECT warehouse FROM user WHERE account_id = ? AND used_at_ms >= ? ORDER BY used_at_ms DESC',
    )
    .pluck();
  return {
    record: (warehouse, nowMs) => void record.run(accountId, warehouse, Math.round(nowMs)),
    list: (nowMs) => list.all(accountId, nowMs - FORGOTTEN_AFTER_MS),
  };
}

// Many commands open a warehouse, so its row is updated at most once an hour.
const RESOLUTION_MS = HOUR_MS;
const FORGOTTEN_AFTER_MS = 62 * DAY_MS;
