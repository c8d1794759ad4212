import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, linkSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { FailedError, messageOf, UsageError } from '../errors.ts';
import { explainSqlite, makeFolder } from '../sqlite/database_file.ts';
import { addLaterColumns } from '../sqlite/later_columns.ts';

/** The file at this path is no longer a ledger, or is incomplete. */
export class DamagedLedgerError extends UsageError {
  constructor(path: string, fault: string, cause?: unknown) {
    super(`cannot open the ledger ${path}: ${fault}`, { hint: LOST_LEDGER_REMEDY, cause });
  }
}

/**
 * Opens the ledger file, creating it if it is missing. Up to FLUSHED_PER_MINUTE calls a minute, each commit is flushed to
 * the disk (`synchronous=FULL`). The file then has no WAL, because commits in a WAL are lost if the WAL is deleted before
 * they are written back. The rollback journal contains only the current transaction, whose calls have not been sent yet.
 * At higher rates, a flush would take longer than the call. The file then has a WAL with `synchronous=NORMAL`: a killed
 * process loses nothing, and a power failure only the last debits.
 *
 * @throws DamagedLedgerError if the file is not a ledger; UsageError if it cannot be opened or was written by a newer
 * version.
 */
export function openLedgerFile(path: string, perMinute: number | null): Database.Database {
  try {
    makeFolder(dirname(path));
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.size === 0) throw new DamagedLedgerError(path, 'it is empty');
    if (stats === undefined) createFile(path);
    return open(path, (perMinute ?? Infinity) <= FLUSHED_PER_MINUTE);
  } catch (error) {
    const reason = messageOf(error);
    if (error instanceof DamagedLedgerError) throw error;
    if (isCorrupt(error)) throw new DamagedLedgerError(path, reason, error);
    throw new UsageError(`cannot open the ledger ${path}: ${reason}`, { hint: hintFor(error), cause: error });
  }
}

/** Creates the file under another name first, so that no process ever opens an empty ledger. */
function createFile(path: string): void {
  // If the journal of a deleted ledger remained, SQLite would apply it to the new file.
  const remains = ['-wal', '-journal'].map((end) => path + end);
  if (remains.some(hasTransaction) && !existsSync(path))
    throw new DamagedLedgerError(path, 'it was deleted; only its journal remains');
  const partial = `${path}.${randomUUID()}.partial`;
  try {
    // Only this user may read the file.
    closeSync(openSync(partial, 'wx', 0o600));
    const db = new Database(partial);
    db.transaction(() => migrate(db)).immediate();
    db.close();
    linkSync(partial, path);
  } catch (error) {
    // In the meantime, another process has created the ledger.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Returns whether SQLite would apply this journal. The end of a transaction sets its first bytes to zero. */
function hasTransaction(journal: string): boolean {
  return existsSync(journal) && (readFileSync(journal)[0] ?? 0) !== 0;
}

function open(path: string, isFlushed: boolean): Database.Database {
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true });
  try {
    if (whenFree(() => db.pragma('user_version', { simple: true })) === 0)
      throw new DamagedLedgerError(path, 'it is a SQLite file but not a ledger');
    const verdict = db.pragma('quick_check(1)', { simple: true });
    if (verdict !== 'ok')
      throw new DamagedLedgerError(path, `the file is malformed (${lastLine(String(verdict))})`);
    // PERSIST also flushes the end of a transaction, and takes half as long as TRUNCATE. DELETE would not flush it, and a
    // power failure could undo it.
    useJournal(db, isFlushed ? 'PERSIST' : 'WAL');
    db.pragma(`synchronous = ${isFlushed ? 'FULL' : 'NORMAL'}`);
    whenFree(() => db.transaction(() => migrate(db)).immediate());
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Changes the kind of journal, unless another process has the file open. Each process then keeps the one that it found. */
function useJournal(db: Database.Database, mode: 'PERSIST' | 'WAL'): void {
  try {
    db.pragma(`journal_mode = ${mode}`);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

/** Returns the fault without the preceding line, in which SQLite names the database. */
function lastLine(verdict: string): string {
  return verdict.trim().split('\n').at(-1) ?? verdict;
}

/** The remedy if the ledger was deleted, replaced or corrupted. */
export const LOST_LEDGER_REMEDY =
  'Put the latest ledger back, or run `registry-mirror doctor --rebuild-ledger` to count the calls of the warehouses again.';

/** Converts an SQLite error to an error that names the ledger and the remedy. Returns other errors unchanged. */
export function explainLedger(error: unknown, path: string): unknown {
  if (!isCorrupt(error)) return explainSqlite(error, `the ledger ${path}`);
  return new FailedError(`the ledger ${path} is corrupt: ${error.message}`, {
    hint: LOST_LEDGER_REMEDY,
    cause: error,
  });
}

function isCorrupt(error: unknown): error is Error {
  return error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}

/** True if SQLite failed because another process is writing. If so, the caller should try again. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function migrate(db: Database.Database): void {
  const version = db.pragma('user_version', { simple: true }) as number;
  if (version > SCHEMA_VERSION) throw new NewerLedger(version);
  if (version === SCHEMA_VERSION) return;
  db.exec(SCHEMA);
  addLaterColumns(db, SCHEMA);
  db.exec(CONTENT);
  db.pragma(`user_version = ${SCHEMA_VERSION}`);
}

class NewerLedger extends Error {
  constructor(version: number) {
    super(`its format is ${version}; this version of the program reads formats up to ${SCHEMA_VERSION}`);
  }
}

function hintFor(error: unknown): string {
  if (error instanceof NewerLedger)
    return 'A newer version of this program wrote the ledger. Use that version.';
  if (isBusy(error)) return 'Another program has locked the file. End that program, or try again later.';
  return 'The key `ledger` in the configuration must name a file that this user may write.';
}

/** Runs an action, retrying it while another process has the file locked. */
export function whenFree<T>(action: () => T): T {
  for (let attempt = 1; ; attempt++) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || attempt >= OPENING_ATTEMPTS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPENING_PAUSE_MS);
    }
  }
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS account (
  account_id          TEXT PRIMARY KEY,
  spent_ever          INTEGER NOT NULL DEFAULT 0,
  debits              INTEGER NOT NULL DEFAULT 0, -- units ever debited; never decreases
  starts              INTEGER NOT NULL DEFAULT 0, -- runs ever started; never decreases
  last_spent_ms       REAL    NOT NULL DEFAULT 0,
  next_slot_ms        REAL    NOT NULL DEFAULT 0,
  paused_at_ms        REAL    NOT NULL DEFAULT 0,
  paused_until_ms     REAL    NOT NULL DEFAULT 0,
  exhausted_at_ms     REAL,
  exhausted_until_ms  REAL,
  exhausted_left      INTEGER,                    -- quota left by this ledger's count; NULL if unlimited
  exhausted_times     INTEGER NOT NULL DEFAULT 0, -- since the last successful call
  refused_key         TEXT,
  refused_at_ms       REAL,
  worked_key          TEXT,
  doubted_target      TEXT,                       -- first rejected call of a key that has worked; NULL if there is none
  boot_id             TEXT,                       -- the boot to which booted_ms refers
  booted_ms           REAL,                       -- boot time by the trusted clock
  reported_left       INTEGER,                    -- the quota that the upstream reported; NULL if there is no report
  reported_at_ms      REAL    NOT NULL DEFAULT 0,
  reported_until_ms   REAL    NOT NULL DEFAULT 0,
  reported_spacing_ms REAL    NOT NULL DEFAULT 0, -- between two calls
  spaced_at_ms        REAL    NOT NULL DEFAULT 0
) STRICT;

-- Calls per minute, because a window can begin at any minute.
CREATE TABLE IF NOT EXISTS spent (
  account_id TEXT    NOT NULL,
  minute_ms  INTEGER NOT NULL,
  calls      INTEGER NOT NULL,
  PRIMARY KEY (account_id, minute_ms)
) STRICT, WITHOUT ROWID;

-- The warehouses that spend an account's allowance.
CREATE TABLE IF NOT EXISTS user (
  account_id TEXT    NOT NULL,
  warehouse  TEXT    NOT NULL,
  used_at_ms INTEGER NOT NULL,
  PRIMARY KEY (account_id, warehouse)
) STRICT, WITHOUT ROWID;

-- Distinguishes this ledger from another one at the same path.
CREATE TABLE IF NOT EXISTS identity (
  ledger_id TEXT NOT NULL
) STRICT;
`;

/** Completes the content. Earlier versions did not count the debits, and had no identity. */
const CONTENT = `
INSERT INTO identity SELECT lower(hex(randomblob(8))) WHERE NOT EXISTS (SELECT 1 FROM identity);
UPDATE account SET debits = max(debits, spent_ever);
`;

/** Increase this number with every change of the schema, so that older files get the new columns and older programs stop. */
const SCHEMA_VERSION = 8;

/** The highest rate at which each commit is flushed to the disk. */
const FLUSHED_PER_MINUTE = 600;

// The timeout is longer than any commit takes. But a process that is stopped during a commit blocks others only
// briefly.
const BUSY_TIMEOUT_MS = 1000;
const OPENING_ATTEMPTS = 250;
const OPENING_PAUSE_MS = 20;
