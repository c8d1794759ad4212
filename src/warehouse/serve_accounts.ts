import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { messageOf, UsageError } from '../errors.ts';
import { makeFolder } from '../sqlite/database_file.ts';
import { addLaterColumns } from './migrate.ts';

/**
 * The accounts of the mirror's own clients. They are stored in a separate file beside the ledger, so that replacing the
 * warehouse changes neither the accounts nor their request counts.
 */
export interface AccountFile extends Disposable {
  /** The path, or null for a file in memory. */
  readonly path: string | null;
  readonly db: Database;
  accounts(): StoredAccount[];
  keys(): StoredKey[];
  addAccount(
    account: Omit<StoredAccount, 'isSuspended' | 'createdAt' | keyof StoredUse>,
    nowMs: number,
  ): void;
  setLimits(accountId: string, limits: StoredLimits): void;
  suspend(accountId: string, isSuspended: boolean): void;
  addKey(key: Omit<StoredKey, 'createdAt' | 'revokedAt'>, nowMs: number): void;
  /** Returns false if there is no such key or it is already revoked. */
  revoke(keyId: string, nowMs: number): boolean;
  use(accountId: string): StoredUse & { readonly recent: readonly RecentUse[] };
  /** Writes the accounts' request counts in one transaction. */
  saveUse(uses: readonly NewUse[]): void;
  /** Sets all request counts to zero. */
  resetUse(): void;
  /** Returns a number that changes whenever another connection writes to the file. */
  version(): number;
  close(): void;
}

export interface StoredLimits {
  readonly tier: string;
  readonly perMinute: number | null;
  readonly total: number | null;
  readonly perDay: number | null;
  /** Whether a day is a day in UTC or the last 24 hours. Only the sandbox's accounts have rolling days. */
  readonly day: 'utc' | 'rolling';
}

interface StoredUse {
  readonly usedTotal: number;
  /** The UTC day to which `usedToday` refers, in days since 1970-01-01. */
  readonly usedDay: number;
  readonly usedToday: number;
}

export interface StoredAccount extends StoredLimits, StoredUse {
  readonly accountId: string;
  readonly isSuspended: 0 | 1;
  readonly createdAt: string;
}

interface StoredKey {
  /** The first part of the key, which is not secret. */
  readonly keyId: string;
  readonly accountId: string;
  /** The SHA-256 hash of the whole key. A key has 192 random bits, so a dictionary attack on the hash is infeasible. */
  readonly hash: Buffer;
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

/** The requests admitted in one second. `second` is in epoch seconds. */
interface RecentUse {
  readonly second: number;
  readonly requests: number;
}

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
  const db = path === null ? prepared(new Sqlite(':memory:')) : openFile(path);
  const accounts = db.prepare<[], StoredAccount>(`${SELECT_ACCOUNT} ORDER BY account_id`);
  const keys = db.prepare<[], StoredKey>(
    `SELECT key_id AS keyId, account_id AS accountId, hash, created_at AS createdAt, revoked_at AS revokedAt
     FROM key ORDER BY created_at, key_id`,
  );
  const insertAccount = db.prepare(
    `INSERT INTO account (account_id, tier, per_minute, total, per_day, day, created_at)
     VALUES (@accountId, @tier, @perMinute, @total, @perDay, @day, @createdAt)`,
  );
  const updateLimits = db.prepare(
    `UPDATE account SET tier = @tier, per_minute = @perMinute, total = @total, per_day = @perDay, day = @day
     WHERE account_id = @accountId`,
  );
  const updateSuspended = db.prepare('UPDATE account SET suspended = ? WHERE account_id = ?');
  const insertKey = db.prepare(
    'INSERT INTO key (key_id, account_id, hash, created_at) VALUES (@keyId, @accountId, @hash, @createdAt)',
  );
  const revokeKey = db.prepare('UPDATE key SET revoked_at = ? WHERE key_id = ? AND revoked_at IS NULL');
  const selectUse = db.prepare<[string], StoredUse>(
    'SELECT used_total AS usedTotal, used_day AS usedDay, used_today AS usedToday FROM account WHERE account_id = ?',
  );
  const selectRecent = db.prepare<[string, string], RecentUse>(
    `SELECT second, requests FROM recent WHERE account_id = ?
     UNION ALL SELECT used_second, used_in_second FROM account WHERE account_id = ? AND used_in_second > 0
     ORDER BY second`,
  );
  const updateUse = db.prepare<[number, number, number, number, number, string]>(
    `UPDATE account SET used_total = ?, used_day = ?, used_today = ?, used_second = ?, used_in_second = ?
     WHERE account_id = ?`,
  );
  const insertSecond = db.prepare<[string, number, number]>(
    'INSERT OR REPLACE INTO recent (account_id, second, requests) VALUES (?, ?, ?)',
  );
  const forgetSeconds = db.prepare<[string, number]>(
    'DELETE FROM recent WHERE account_id = ? AND second < ?',
  );
  const dataVersion = db.prepare<[], number>('PRAGMA data_version').pluck();
  const saveOne = ({ accountId, usedTotal, usedDay, usedToday, latest, ended }: NewUse): void => {
    updateUse.run(usedTotal, usedDay, usedToday, latest.second, latest.requests, accountId);
    for (const { second, requests } of ended) insertSecond.run(accountId, second, requests);
    if (ended.length > 0) forgetSeconds.run(accountId, latest.second - REMEMBERED_SECONDS);
  };
  const saveAll = db.transaction((uses: readonly NewUse[]) => uses.forEach(saveOne));

  return {
    path,
    db,
    accounts: () => accounts.all(),
    keys: () => keys.all(),
    addAccount: (account, nowMs) => void insertAccount.run({ ...account, createdAt: isoTime(nowMs) }),
    setLimits: (accountId, limits) => void updateLimits.run({ accountId, ...limits }),
    suspend: (accountId, isSuspended) => void updateSuspended.run(isSuspended ? 1 : 0, accountId),
    addKey: (key, nowMs) => void insertKey.run({ ...key, createdAt: isoTime(nowMs) }),
    revoke: (keyId, nowMs) => revokeKey.run(isoTime(nowMs), keyId).changes === 1,
    use: (accountId) => ({
      ...(selectUse.get(accountId) ?? { usedTotal: 0, usedDay: 0, usedToday: 0 }),
      recent: selectRecent.all(accountId, accountId),
    }),
    saveUse(uses) {
      // Every request waits for this frequent case. Its single statement needs no explicit transaction.
      const [only] = uses;
      if (only !== undefined && uses.length === 1 && only.ended.length === 0) saveOne(only);
      else saveAll.immediate(uses);
    },
    resetUse: () =>
      void db.exec(
        'UPDATE account SET used_total = 0, used_today = 0, used_in_second = 0; DELETE FROM recent',
      ),
    version: () => dataVersion.get() ?? 0,
    close: () => db.close(),
    [Symbol.dispose]: () => db.close(),
  };
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

const SELECT_ACCOUNT = `
  SELECT account_id AS accountId, tier, per_minute AS perMinute, total, per_day AS perDay, day, suspended AS isSuspended,
         created_at AS createdAt, used_total AS usedTotal, used_day AS usedDay, used_today AS usedToday
  FROM account`;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS account (
  account_id TEXT PRIMARY KEY,
  tier       TEXT    NOT NULL,
  per_minute INTEGER,
  total      INTEGER,
  per_day    INTEGER,
  day        TEXT    NOT NULL DEFAULT 'utc',
  suspended  INTEGER NOT NULL DEFAULT 0,
  created_at TEXT    NOT NULL,
  used_total INTEGER NOT NULL DEFAULT 0,
  used_day   INTEGER NOT NULL DEFAULT 0,
  used_today INTEGER NOT NULL DEFAULT 0,
  used_second    INTEGER NOT NULL DEFAULT 0, -- the current second (epoch seconds), and the requests in it
  used_in_second INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE IF NOT EXISTS key (
  key_id     TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (account_id),
  hash       BLOB NOT NULL,
  created_at TEXT NOT NULL,
  revoked_at TEXT
) STRICT;

-- The number of requests in each recent second, except the current one. These counts are stored so that a restart does
-- not reset the limit per minute.
CREATE TABLE IF NOT EXISTS recent (
  account_id TEXT    NOT NULL,
  second     INTEGER NOT NULL,
  requests   INTEGER NOT NULL,
  PRIMARY KEY (account_id, second)
) STRICT, WITHOUT ROWID;

-- Contains one row while a server counts requests in this file (see lock.ts).
CREATE TABLE IF NOT EXISTS _lock (
  name         TEXT PRIMARY KEY CHECK (name = 'run'),
  owner        TEXT    NOT NULL,
  pid          INTEGER NOT NULL,
  host         TEXT    NOT NULL,
  taken_at     TEXT    NOT NULL,
  heartbeat_at TEXT    NOT NULL,
  yields       INTEGER NOT NULL DEFAULT 0,
  wanted_at    TEXT
) STRICT, WITHOUT ROWID;
`;

const BUSY_TIMEOUT_MS = 5_000;
// 16,384 pages of 512 bytes are 8 MiB.
const CHECKPOINT_PAGES = 16_384;
const REMEMBERED_SECONDS = 120;
