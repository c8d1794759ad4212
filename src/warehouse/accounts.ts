import { hash, randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { messageOf, UsageError } from '../errors.ts';
import { makeFolder } from '../sqlite/database_file.ts';
import { addLaterColumns } from '../sqlite/later_columns.ts';
import { run } from '../sqlite/statements.ts';
import { column, type RowOf, Table } from './table.ts';
import { LOCK } from './tables.ts';

const ACCOUNT = new Table('account', ['account_id'], {
  accountId: column<string>('account_id TEXT NOT NULL'),
  tier: column<'free' | 'paid'>('tier TEXT NOT NULL'),
  // Each limit is null if there is none.
  perMinute: column<number | null>('per_minute INTEGER'), // requests in any 60 seconds
  total: column<number | null>('total INTEGER'), // requests ever
  perDay: column<number | null>('per_day INTEGER'), // requests in a day (UTC)
  isSuspended: column<0 | 1>('suspended INTEGER NOT NULL DEFAULT 0'),
  createdAt: column<string>('created_at TEXT NOT NULL'),
  usedTotal: column<number>('used_total INTEGER NOT NULL DEFAULT 0'),
  usedDay: column<number>('used_day INTEGER NOT NULL DEFAULT 0'), // the UTC day of `usedToday`, in days since 1970-01-01
  usedToday: column<number>('used_today INTEGER NOT NULL DEFAULT 0'),
  // The last request and the number of requests in the minute before it, so that a restart does not reset the rate.
  usedSecond: column<number>('used_second INTEGER NOT NULL DEFAULT 0'), // in epoch seconds
  usedInMinute: column<number>('used_in_minute INTEGER NOT NULL DEFAULT 0'),
});

const KEY = new Table('key', ['key_id'], {
  keyId: column<string>('key_id TEXT NOT NULL'), // the first part of the key, which is not secret
  accountId: column<string>('account_id TEXT NOT NULL REFERENCES account (account_id)'),
  // The SHA-256 hash of the whole key. A key has 192 random bits, so a dictionary attack on the hash is infeasible.
  hash: column<Buffer>('hash BLOB NOT NULL'),
  createdAt: column<string>('created_at TEXT NOT NULL'),
  revokedAt: column<string | null>('revoked_at TEXT'),
});

/** One server at a time counts requests in this file, so it has a lock (`lock.ts`). */
const SCHEMA = `
  ${[ACCOUNT, KEY, LOCK].map(({ sql }) => `${sql.replace('TABLE', 'TABLE IF NOT EXISTS')};`).join('\n')}
  CREATE INDEX IF NOT EXISTS key_by_hash ON key (hash);`;

const LIMITS = ['tier', 'perMinute', 'total', 'perDay'] as const;
const NEW_ACCOUNT = ['accountId', ...LIMITS, 'createdAt'] as const;
const NEW_KEY = ['keyId', 'accountId', 'hash', 'createdAt'] as const;
const USE = ['usedTotal', 'usedDay', 'usedToday', 'usedSecond', 'usedInMinute'] as const;

export type ServedAccount = RowOf<typeof ACCOUNT>;
export type Tier = ServedAccount['tier'];
export type AccountLimits = Pick<ServedAccount, (typeof LIMITS)[number]>;
/** An account's request counts. */
export type Use = Pick<ServedAccount, 'accountId' | (typeof USE)[number]>;
type Key = RowOf<typeof KEY>;

/**
 * Opens the account file and creates it if necessary. If the path is null, the accounts are held in memory.
 *
 * @throws UsageError if the file cannot be written to.
 */
export function openAccountFile(path: string | null): AccountFile {
  return new AccountFile(path, path === null ? new Sqlite(':memory:') : openFile(path));
}

/**
 * Stores the accounts of a service's clients, their keys and their request counts. The file is beside the ledger, so a
 * new warehouse does not change it. Changes in the file apply immediately.
 */
export class AccountFile implements Disposable {
  /** The path, or null for a file in memory. */
  readonly path: string | null;
  readonly db: Database;
  readonly #ofKey;
  readonly #saveUse;

  constructor(path: string | null, db: Database) {
    this.path = path;
    this.db = db;
    db.exec(SCHEMA);
    addLaterColumns(db, SCHEMA);
    this.#ofKey = ACCOUNT.select<[Buffer]>(
      db,
      'WHERE account_id = (SELECT account_id FROM key WHERE hash = ? AND revoked_at IS NULL)',
    );
    this.#saveUse = ACCOUNT.update(db, USE, ['account_id']);
  }

  accounts(): ServedAccount[] {
    return ACCOUNT.select<[]>(this.db, 'ORDER BY account_id').all();
  }

  account(accountId: string): ServedAccount | null {
    return ACCOUNT.select<[string]>(this.db, 'WHERE account_id = ?').get(accountId) ?? null;
  }

  /**
   * Returns the account that a key belongs to, or null for an unknown or revoked key. The lookup uses the key's hash, so its
   * time does not reveal how much of a key is correct.
   */
  accountOf(key: string): ServedAccount | null {
    return this.#ofKey.get(hashOf(key)) ?? null;
  }

  keys(): Key[] {
    return KEY.select<[]>(this.db, 'ORDER BY created_at, key_id').all();
  }

  addAccount(account: Pick<ServedAccount, 'accountId'> & AccountLimits, nowMs: number): void {
    ACCOUNT.insert(this.db, { properties: NEW_ACCOUNT })({ ...account, createdAt: isoTime(nowMs) });
  }

  setLimits(accountId: string, limits: AccountLimits): void {
    ACCOUNT.update(this.db, LIMITS, ['account_id'])(limits, accountId);
  }

  suspend(accountId: string, isSuspended: boolean): void {
    run(this.db, 'UPDATE account SET suspended = ? WHERE account_id = ?', isSuspended ? 1 : 0, accountId);
  }

  /** Adds a key to an account. The complete key is never stored. */
  addKey(accountId: string, nowMs: number, key: NewKey = newKey()): NewKey {
    const stored = { keyId: key.keyId, accountId, hash: hashOf(key.key) };
    KEY.insert(this.db, { properties: NEW_KEY })({ ...stored, createdAt: isoTime(nowMs) });
    return key;
  }

  /** Returns false if there is no such key or it is already revoked. */
  revoke(keyId: string, nowMs: number): boolean {
    const sql = 'UPDATE key SET revoked_at = ? WHERE key_id = ? AND revoked_at IS NULL';
    return run(this.db, sql, isoTime(nowMs), keyId).changes === 1;
  }

  /** Writes an account's request counts. */
  saveUse(use: Use): void {
    this.#saveUse(use, use.accountId);
  }

  close(): void {
    this.db.close();
  }

  [Symbol.dispose](): void {
    this.db.close();
  }
}

interface NewKey {
  /** The public id of the key. */
  readonly keyId: string;
  /** The complete key, which is shown once. */
  readonly key: string;
}

/** Returns a new key, which consists of a public id that starts with `rm_`, and a secret. */
function newKey(): NewKey {
  const keyId = `rm_${randomBytes(5).toString('hex')}`;
  return { keyId, key: `${keyId}_${randomBytes(24).toString('base64url')}` };
}

/** Returns the public id of a key, or '' if the key has an unknown format. */
export function keyIdOf(key: string): string {
  return /^(rm_[0-9a-f]{10})_[\w-]{32}$/.exec(key)?.[1] ?? '';
}

/** Hashes a key with SHA-256. A slow hash such as scrypt is not necessary, because the secret has 192 random bits. */
function hashOf(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** Returns the accounts file's path. The file is beside the ledger and has a similar name. */
export function accountsBeside(ledgerPath: string): string {
  const extension = extname(ledgerPath);
  const name = basename(ledgerPath, extension);
  const named = name.includes('ledger') ? name.replace('ledger', 'accounts') : `${name}-accounts`;
  return join(dirname(ledgerPath), named + extension);
}

function openFile(path: string): Database {
  try {
    makeFolder(dirname(path));
    // Only this user may read the file. SQLite gives the WAL the same mode.
    closeSync(openSync(path, 'a', 0o600));
    const db = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
    // Counts are written before every response. Writing is fast because pages are small and checkpoints, which wait for
    // the disk, are rare. A killed process loses nothing. A power failure can lose the last counts.
    db.pragma('page_size = 512');
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return db;
  } catch (cause) {
    throw new UsageError(`cannot open the accounts ${path}: ${messageOf(cause)}`, {
      hint: "Make the ledger's folder writable for this user. The accounts are stored there too.",
      cause,
    });
  }
}

const BUSY_TIMEOUT_MS = 5_000;
// 16,384 pages of 512 bytes are 8 MiB.
const CHECKPOINT_PAGES = 16_384;
