import type Database from 'better-sqlite3';

/** What the ledger holds of one account beside its counts. Times are epoch milliseconds. */
export interface Account {
  readonly spent_ever: number;
  readonly last_spent_ms: number;
  readonly next_slot_ms: number;
  readonly paused_at_ms: number;
  readonly paused_until_ms: number;
  readonly exhausted_at_ms: number | null;
  readonly exhausted_until_ms: number | null;
  /** What this ledger thought was left when the upstream said that nothing was; null: no limit. */
  readonly exhausted_left: number | null;
  /** How often the upstream said so since it last answered a call. */
  readonly exhausted_times: number;
  readonly refused_key: string | null;
  readonly refused_at_ms: number | null;
  readonly worked_key: string | null;
  /** The latest moment that the clock has shown without a call, or before it was set back. */
  readonly latest_ms: number;
  /** The earliest that it showed since it was set back; null: it has come to the old time again. */
  readonly set_back_at_ms: number | null;
  /** By how much it may still be late, until when. */
  readonly late_ms: number;
  readonly doubted_until_ms: number;
}

export interface AccountTable {
  read(): Account;
  /** Writes slot, pause, exhaustion and clock; the units and the key have their own statements. */
  write(account: Account): void;
  take(calls: number, firstMs: number, nextSlotMs: number): void;
  giveBack(): void;
  pause(untilMs: number, nowMs: number): void;
  refuse(key: string | null, nowMs: number | null): void;
  prove(key: string): void;
}

export function openAccount(db: Database.Database, accountId: string): AccountTable {
  db.prepare('INSERT INTO account (account_id) VALUES (?) ON CONFLICT DO NOTHING').run(accountId);
  const read = db.prepare<[string], Account>('SELECT * FROM account WHERE account_id = ?');
  const write = db.prepare(
    `UPDATE account SET
       last_spent_ms = @last_spent_ms, next_slot_ms = @next_slot_ms,
       paused_at_ms = @paused_at_ms, paused_until_ms = @paused_until_ms,
       exhausted_at_ms = @exhausted_at_ms, exhausted_until_ms = @exhausted_until_ms,
       exhausted_left = @exhausted_left, exhausted_times = @exhausted_times,
       latest_ms = @latest_ms, set_back_at_ms = @set_back_at_ms,
       late_ms = @late_ms, doubted_until_ms = @doubted_until_ms
     WHERE account_id = @accountId`,
  );
  const take = db.prepare(
    `UPDATE account SET spent_ever = spent_ever + ?, last_spent_ms = ?, next_slot_ms = ?
     WHERE account_id = ?`,
  );
  const giveBack = db.prepare('UPDATE account SET spent_ever = spent_ever - 1 WHERE account_id = ?');
  const pause = db.prepare(
    `UPDATE account SET paused_at_ms = @nowMs, paused_until_ms = @untilMs
     WHERE account_id = @accountId AND paused_until_ms < @untilMs`,
  );
  const refuse = db.prepare('UPDATE account SET refused_key = ?, refused_at_ms = ? WHERE account_id = ?');
  const prove = db.prepare('UPDATE account SET worked_key = ?, exhausted_times = 0 WHERE account_id = ?');
  return {
    read: () => read.get(accountId) as Account,
    write: (account) => void write.run({ ...account, accountId }),
    take: (calls, firstMs, nextSlotMs) => void take.run(calls, firstMs, nextSlotMs, accountId),
    giveBack: () => void giveBack.run(accountId),
    pause: (untilMs, nowMs) => void pause.run({ accountId, untilMs, nowMs }),
    refuse: (key, nowMs) => void refuse.run(key, nowMs, accountId),
    prove: (key) => void prove.run(key, accountId),
  };
}

/** Which warehouses spend an account's allowance: they share it, and each plans as if it were alone. */
export interface Users {
  /** This warehouse spends it. */
  note(warehouse: string, nowMs: number): void;
  /** Those that did within two months, the latest first. */
  list(nowMs: number): string[];
}

export function openUsers(db: Database.Database, accountId: string): Users {
  const note = db.prepare(
    `INSERT INTO user (account_id, warehouse, used_at_ms) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET used_at_ms = excluded.used_at_ms WHERE used_at_ms < excluded.used_at_ms - ${RESOLUTION_MS}`,
  );
  const list = db
    .prepare<[string, number], string>(
      'SELECT warehouse FROM user WHERE account_id = ? AND used_at_ms >= ? ORDER BY used_at_ms DESC',
    )
    .pluck();
  return {
    note: (warehouse, nowMs) => void note.run(accountId, warehouse, Math.round(nowMs)),
    list: (nowMs) => list.all(accountId, nowMs - FORGOTTEN_AFTER_MS),
  };
}

// A warehouse is opened often; the ledger is written for it once an hour.
const RESOLUTION_MS = 60 * 60 * 1000;
const FORGOTTEN_AFTER_MS = 62 * 24 * 60 * 60 * 1000;
