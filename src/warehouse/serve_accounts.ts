import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { messageOf, UsageError } from '../errors.ts';
import { makeFolder } from '../sqlite/database_file.ts';
import { rows, run } from '../sqlite/query.ts';
import { addLaterColumns } from './migrate.ts';
import { column, type RowOf, Table } from './table.ts';
import { LOCK } from './tables.ts';

const ACCOUNT = new Table('account', ['account_id'], {
  accountId: column<string>('account_id TEXT NOT NULL'),
  tier: column<string>('tier TEXT NOT NULL'),
  perMinute: column<number | null>('per_minute INTEGER'),
  total: column<number | null>('total INTEGER'),
  perDay: column<number | null>('per_day INTEGER'),
  // Whether a day is a day in UTC or the last 24 hours. Only the sandbox's accounts have rolling days.
  day: column<'utc' | 'rolling'>("day TEXT NOT NULL DEFAULT 'utc'"),
  isSuspended: column<0 | 1>('suspended INTEGER NOT NULL DEFAULT 0'),
  createdAt: column<string>('created_at TEXT NOT NULL'),
  usedTotal: column<number>('used_total INTEGER NOT NULL DEFAULT 0'),
  usedDay: column<number>('used_day INTEGER NOT NULL DEFAULT 0'), // the UTC day of `usedToday`, in days since 1970-01-01
  usedToday: column<number>('used_today INTEGER NOT NULL DEFAULT 0'),
  usedSecond: column<number>('used_second INTEGER NOT NULL DEFAULT 0'), // the current second, in epoch seconds
  usedInSecond: column<number>('used_in_second INTEGER NOT NULL DEFAULT 0'),
});

const KEY = new Table('key', ['key_id'], {
  keyId: column<string>('key_id TEXT NOT NULL'), // the first part of the key, which is not secret
  accountId: column<string>('account_id TEXT NOT NULL REFERENCES account (account_id)'),
  // The SHA-256 hash of the whole key. A key has 192 random bits, so a dictionary attack on the hash is infeasible.
  hash: column<Buffer>('hash BLOB NOT NULL'),
  createdAt: column<string>('created_at TEXT NOT NULL'),
  revokedAt: column<string | null>('revoked_at TEXT'),
});

/** The requests admitted in each recent second, except the current one, so that a restart does not reset the limit. */
const RECENT = new Table('recent', ['account_id', 'second'], {
  accountId: column<string>('account_id TEXT NOT NULL'),
  second: column<number>('second INTEGER NOT NULL'), // in epoch seconds
  requests: column<number>('requests INTEGER NOT NULL'),
});

/** One server at a time counts requests in this file, so it has a lock (`lock.ts`). */
const SCHEMA = [ACCOUNT, KEY, RECENT, LOCK]
  .map(({ sql }) => `${sql.replace('TABLE', 'TABLE IF NOT EXISTS')};`)
  .join('\n');

const LIMITS = ['tier', 'perMinute', 'total', 'perDay', 'day'] as const;
const USE = ['usedTotal', 'usedDay', 'usedToday'] as const;
const NEW_ACCOUNT = ['accountId', ...LIMITS, 'createdAt'] as const;
const NEW_KEY = ['keyId', 'accountId', 'hash', 'createdAt'] as const;

export type StoredAccount = RowOf<typeof ACCOUNT>;
export type StoredLimits = Pick<StoredAccount, (typeof LIMITS)[number]>;
type StoredUse = Pick<StoredAccount, (typeof USE)[number]>;
type StoredKey = RowOf<typeof KEY>;
type RecentUse = Omit<RowOf<typeof RECENT>, 'accountId'>;

export interface NewUse extends StoredUse {
  readonly accountId: string;
  /** The number of requests in the current second. */
  readonly latest: RecentUse;
  /** The number of requests in each second that has ended since the last write. */
  readonly ended: readonly RecentUse[];
}

/**
 * Opens the account file and creates it if necessary. If the path is null, the accounts are held in memory.
 *
 * @throws UsageError if the file cannot be written to.
 */
export function openAccountFile(path: string | null): AccountFile {
  return new AccountFile(path, path === null ? prepared(new Sqlite(':memory:')) : openFile(path));
}

/**
 * The accounts of the mirror's own clients. They are stored in a separate file beside the ledger, so that replacing the
 * warehouse changes neither the accounts nor their request counts.
 */
export class AccountFile implements Disposable {
  /** The path, or null for a file in memory. */
  readonly path: string | null;
  readonly db: Database;

  constructor(path: string | null, db: Database) {
    this.path = path;
    this.db = db;
  }

  accounts(): StoredAccount[] {
    return ACCOUNT.select<[]>(this.db, 'ORDER BY account_id').all();
  }

  keys(): StoredKey[] {
    return KEY.select<[]>(this.db, 'ORDER BY created_at, key_id').all();
  }

  addAccount(account: Pick<StoredAccount, 'accountId'> & StoredLimits, nowMs: number): void {
    ACCOUNT.insert(this.db, { properties: NEW_ACCOUNT })({ ...account, createdAt: isoTime(nowMs) });
  }

  setLimits(accountId: string, limits: StoredLimits): void {
    ACCOUNT.update(this.db, LIMITS, ['account_id'])(limits, accountId);
  }

  suspend(accountId: string, isSuspended: boolean): void {
    run(this.db, 'UPDATE account SET suspended = ? WHERE account_id = ?', isSuspended ? 1 : 0, accountId);
  }

  addKey(key: Pick<StoredKey, 'keyId' | 'accountId' | 'hash'>, nowMs: number): void {
    KEY.insert(this.db, { properties: NEW_KEY })({ ...key, createdAt: isoTime(nowMs) });
  }

  /** Returns false if there is no such key or it is already revoked. */
  revoke(keyId: string, nowMs: number): boolean {
    const sql = 'UPDATE key SET revoked_at = ? WHERE key_id = ? AND revoked_at IS NULL';
    return run(this.db, sql, isoTime(nowMs), keyId).changes === 1;
  }

  use(accountId: string): StoredUse & { readonly recent: readonly RecentUse[] } {
    const used = ACCOUNT.select<[string]>(this.db, 'WHERE account_id = ?').get(accountId);
    const recent = rows<RecentUse>(
      this.db,
      `SELECT second, requests FROM recent WHERE account_id = @accountId
       UNION ALL SELECT used_second, used_in_second FROM account WHERE account_id = @accountId AND used_in_second > 0
       ORDER BY second`,
      { accountId },
    );
    const { usedTotal = 0, usedDay = 0, usedToday = 0 } = used ?? {};
    return { usedTotal, usedDay, usedToday, recent };
  }

  /** Writes the accounts' request counts in one transaction. */
  saveUse(uses: readonly NewUse[]): void {
    // Every request waits for this frequent case. Its single statement needs no explicit transaction.
    const [only] = uses;
    if (only !== undefined && uses.length === 1 && only.ended.length === 0) this.#saveOne(only);
    else
      this.db
        .transaction(() => {
          for (const use of uses) this.#saveOne(use);
        })
        .immediate();
  }

  #saveOne({ accountId, usedTotal, usedDay, usedToday, latest, ended }: NewUse): void {
    run(
      this.db,
      `UPDATE account SET used_total = ?, used_day = ?, used_today = ?, used_second = ?, used_in_second = ?
       WHERE account_id = ?`,
      ...[usedTotal, usedDay, usedToday, latest.second, latest.requests, accountId],
    );
    if (ended.length === 0) return;
    const add = 'INSERT OR REPLACE INTO recent (account_id, second, requests) VALUES (?, ?, ?)';
    for (const { second, requests } of ended) run(this.db, add, accountId, second, requests);
    const remove = 'DELETE FROM recent WHERE account_id = ? AND second < ?';
    run(this.db, remove, accountId, latest.second - REMEMBERED_SECONDS);
  }

  /** Sets all request counts to zero. */
  resetUse(): void {
    this.db.exec('UPDATE account SET used_total = 0, used_today = 0, used_in_second = 0; DELETE FROM recent');
  }

  close(): void {
    this.db.close();
  }

  [Symbol.dispose](): void {
    this.db.close();
  }
}

function openFile(path: string): Database {
  try {
    makeFolder(dirname(path));
    // Only this user may read the file. SQLite gives the WAL the same mode.
    closeSync(openSync(path, 'a', 0o600));
    const db = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
    // Counts are written before every response, usually to one page of the file. Writing is fast because pages are
    // small and checkpoints, which wait for the disk, are rare. A killed process loses nothing. A power failure can
    // lose the last counts.
    db.pragma('page_size = 512');
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return prepared(db);
  } catch (cause) {
    throw new UsageError(`cannot open the accounts ${path}: ${messageOf(cause)}`, {
      hint: "Make the ledger's folder writable for this user. The accounts are stored there too.",
      cause,
    });
  }
}

function prepared(db: Database): Database {
  db.exec(SCHEMA);
  addLaterColumns(db, SCHEMA);
  return db;
}

const BUSY_TIMEOUT_MS = 5_000;
// 16,384 pages of 512 bytes are 8 MiB.
const CHECKPOINT_PAGES = 16_384;
const REMEMBERED_SECONDS = 120;
