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
  /**
   * The target for which the upstream first rejected a key that has worked, while no other call has confirmed the
   * rejection; null if there is none.
   */
  readonly doubted_target: string | null;
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
  write(account: Account): void;
}

/** Opens an account's row, creating it if necessary. */
export function openAccount(db: Database.Database, accountId: string): AccountTable {
  db.prepare('INSERT INTO account (account_id) VALUES (?) ON CONFLICT DO NOTHING').run(accountId);
  const read = db.prepare<[string], Account>('SELECT * FROM account WHERE account_id = ?');
  const columns = Object.keys(read.get(accountId) ?? {}).filter((name) => name !== 'account_id');
  const write = db.prepare(
    `UPDATE account SET ${columns.map((name) => `${name} = @${name}`).join(', ')} WHERE account_id = @account_id`,
  );
  return {
    read: () => read.get(accountId) as Account,
    write: (account) => void write.run(account),
  };
}

/**
 * The warehouses that share one account's allowance. Each warehouse plans as if it had the whole allowance to itself.
 */
interface Users {
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

/** Calls that a ledger lacks because it was lost, as recorded in the warehouses. */
export interface Recount {
  /** The number of calls by the minute in which they are counted. */
  readonly calls: ReadonlyMap<number, number>;
  readonly lastSentMs: number;
}

/** Returns the account with the recounted calls. */
export function recountedAccount(
  account: Account,
  { calls, lastSentMs }: Recount,
  slotSpacingMs: number,
): Account {
  const added = [...calls.values()].reduce((sum, count) => sum + count, 0);
  return {
    ...account,
    debits: account.debits + added,
    spent_ever: account.spent_ever + added,
    last_spent_ms: Math.max(account.last_spent_ms, lastSentMs),
    next_slot_ms: Math.max(account.next_slot_ms, lastSentMs + slotSpacingMs),
  };
}
