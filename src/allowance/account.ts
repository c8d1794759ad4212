import type { Database } from 'better-sqlite3';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { row, run, values } from '../sqlite/statements.ts';

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

/** An account's row, and the warehouses that share its allowance. */
export class AccountTable {
  readonly #db: Database;
  readonly #accountId: string;
  readonly #update: string;

  /** Creates the row if necessary. */
  constructor(db: Database, accountId: string) {
    this.#db = db;
    this.#accountId = accountId;
    run(db, 'INSERT INTO account (account_id) VALUES (?) ON CONFLICT DO NOTHING', accountId);
    const columns = Object.keys(this.read()).filter((name) => name !== 'account_id');
    this.#update = `UPDATE account SET ${columns.map((name) => `${name} = @${name}`).join(', ')} WHERE account_id = @account_id`;
  }

  read(): Account {
    return row<Account>(this.#db, 'SELECT * FROM account WHERE account_id = ?', this.#accountId) as Account;
  }

  write(account: Account): void {
    run(this.#db, this.#update, account);
  }

  /** Records that a warehouse uses the allowance. Each warehouse plans as if it had the whole allowance to itself. */
  usedBy(warehouse: string, nowMs: number): void {
    const sql = `INSERT INTO user (account_id, warehouse, used_at_ms) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET used_at_ms = excluded.used_at_ms WHERE used_at_ms < excluded.used_at_ms - ${RESOLUTION_MS}`;
    run(this.#db, sql, this.#accountId, warehouse, Math.round(nowMs));
  }

  /** Returns the paths of the warehouses recorded in the last `FORGOTTEN_AFTER_MS`, most recent first. */
  users(nowMs: number): string[] {
    const sql =
      'SELECT warehouse FROM user WHERE account_id = ? AND used_at_ms >= ? ORDER BY used_at_ms DESC';
    return values<string>(this.#db, sql, this.#accountId, nowMs - FORGOTTEN_AFTER_MS);
  }
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
