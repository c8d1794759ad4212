import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { FailedError, MirrorError, messageOf, UsageError } from '../errors.ts';
import { explainSqlite, makeFolder } from '../sqlite/database_file.ts';
import { openFileCheck } from '../sqlite/file_check.ts';
import { migrate, needsMigration } from './migrate.ts';
import { resumeScrub } from './scrub.ts';
import { limitWal, truncateWal, WAL_LIMIT_BYTES } from './wal.ts';

/** An open warehouse file. All SQL is in this folder, and other folders call its exported functions. */
export interface Warehouse extends Disposable {
  readonly path: string;
  readonly db: Database;
  /**
   * Runs `work` in one IMMEDIATE transaction. Nested calls join it.
   *
   * @throws LostFileError if the file was deleted or replaced since it was opened.
   */
  write<T>(work: () => T): T;
  /** Optimises the file, truncates the WAL if readers permit it, and closes the file. */
  close(): void;
}

interface OpenOptions {
  readonly path: string;
  /** Opens the file for reading only. The file is neither changed nor migrated. */
  readonly readonly?: boolean;
  readonly nowMs: number;
  /** The size to which the WAL is truncated when readers permit it (default: 64 MiB). */
  readonly walLimitBytes?: number;
}

/**
 * Opens the warehouse, and creates or migrates the file if necessary.
 *
 * @throws UsageError if the path cannot be written to or is another kind of file. Nothing is written in this case.
 *
 * @throws FailedError if a newer program wrote the file, or if it is corrupt.
 */
export function openWarehouse(options: OpenOptions): Warehouse {
  const { path, readonly = false, nowMs, walLimitBytes: logLimitBytes = WAL_LIMIT_BYTES } = options;
  const db = readonly ? openForReading(path) : openForWriting(path);
  try {
    if (!readonly) prepareForWriting(db, nowMs, logLimitBytes);
    else prepareForReading(db);
  } catch (error) {
    db.close();
    throw readonly && isOfRights(error) ? unreadable(path, error) : explained(path, error);
  }
  let writes = 0;
  const checkFile = openFileCheck({ path, name: 'the warehouse', remedy: LOST_WAREHOUSE_REMEDY });
  const inTransaction = db.transaction((work: () => unknown) => work()).immediate;
  return {
    path,
    db,
    write: (work) => {
      if (db.inTransaction) return work();
      checkFile();
      const done = inTransaction(work) as ReturnType<typeof work>;
      // The WAL is also checked after the first write, because a run can end before its hundredth write.
      if (writes++ % WRITES_BETWEEN_CHECKS === 0) limitWal(db, logLimitBytes);
      return done;
    },
    close: () => close(db, readonly),
    [Symbol.dispose]: () => close(db, readonly),
  };
}

/**
 * Returns whether the file is marked as a warehouse. Reads it without SQLite, because SQLite could create files beside
 * it.
 */
export function isWarehouse(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(4);
    readSync(file, bytes, 0, 4, APPLICATION_ID_AT);
    return bytes.readInt32BE() === APPLICATION_ID;
  } finally {
    closeSync(file);
  }
}

const LOST_WAREHOUSE_REMEDY =
  'If the file was moved, move it back. Otherwise restore a backup (docs/reliability.md). The ledger still counts all calls.';
// "RMIR" in ASCII. It distinguishes a warehouse from other SQLite files.
const APPLICATION_ID = 0x52_4d_49_52;
// https://www.sqlite.org/fileformat.html#the_database_header
const APPLICATION_ID_AT = 68;
const BUSY_TIMEOUT_MS = 10_000;
const CACHE_KIB = 32 * 1024;
const PAGE_BYTES = 8192;
const CHECKPOINT_PAGES = 4000;
const WRITES_BETWEEN_CHECKS = 100;

function openForReading(path: string): Database {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined)
    throw new UsageError(`there is no warehouse at ${path}`, {
      hint: 'Run `registry-mirror sync` first, or correct `warehouse:` in the configuration.',
    });
  if (stats.size === 0)
    throw new FailedError(`the warehouse ${path} is empty (0 bytes)`, {
      hint: 'Restore a backup (docs/reliability.md), or run `registry-mirror sync` to start again. The ledger still counts all calls.',
    });
  return new Sqlite(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
}

function openForWriting(path: string): Database {
  refuseUnwritable(path);
  try {
    return new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    throw unwritable(path, error);
  }
}

function prepareForReading(db: Database): void {
  refuseForeign(db);
  if (needsMigration(db))
    throw new FailedError(`the warehouse ${db.name} was written by an older version`, {
      hint: 'Run `registry-mirror migrate` as a user who may write the file and its folder.',
    });
}

// The reasons and measurements for these settings are in docs/decisions/0002-storage.md.
function prepareForWriting(db: Database, nowMs: number, logLimitBytes: number): void {
  refuseForeign(db);
  const isNew = isEmpty(db);
  // This check comes before the first write, so that a file written by a newer program stays unchanged.
  if (!isNew) needsMigration(db);
  if (isNew) db.pragma(`page_size = ${PAGE_BYTES}`);
  if (db.pragma('journal_mode', { simple: true }) !== 'wal') db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma(`journal_size_limit = ${logLimitBytes}`);
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  db.pragma(`cache_size = -${CACHE_KIB}`);
  db.pragma('temp_store = MEMORY');
  // FAST overwrites deleted content only if that requires no additional writes.
  db.pragma('secure_delete = FAST');
  if (isNew) db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma('foreign_keys = ON');
  migrate(db, nowMs);
  resumeScrub(db);
}

function refuseForeign(db: Database): void {
  const isOurs = db.pragma('application_id', { simple: true }) === APPLICATION_ID;
  if (!isOurs && (db.readonly || !isEmpty(db)))
    throw new UsageError(`${db.name} is a SQLite file but not a warehouse`, {
      hint: 'Name another path under `warehouse:` in the configuration. Nothing was changed.',
    });
}

/** Returns whether the file has no tables. */
export function isEmpty(db: Database): boolean {
  return db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
}

function refuseUnwritable(path: string): void {
  try {
    if (existsSync(path)) {
      accessSync(path, constants.R_OK | constants.W_OK);
      return;
    }
    makeFolder(dirname(path));
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw unwritable(path, error);
  }
}

function unwritable(path: string, cause: unknown): UsageError {
  const reason = messageOf(cause);
  return new UsageError(`the warehouse ${path} cannot be written: ${reason}`, {
    hint: 'Make the folder writable, or name another path under `warehouse:` in the configuration.',
    cause,
  });
}

/**
 * Explains why a reader cannot open the file. SQLite reads a file in WAL mode only if the WAL index exists beside it or
 * can be created there.
 */
function unreadable(path: string, cause: Error): UsageError {
  return new UsageError(`the warehouse ${path} cannot be read here: ${cause.message}`, {
    hint: 'This user cannot write in its folder. Read a copy instead: `registry-mirror backup FILE` creates one.',
    cause,
  });
}

function isOfRights(error: unknown): error is Error {
  if (!(error instanceof Sqlite.SqliteError)) return false;
  return error.code.startsWith('SQLITE_READONLY') || error.code.startsWith('SQLITE_CANTOPEN');
}

function explained(path: string, error: unknown): unknown {
  if (error instanceof MirrorError || !(error instanceof Sqlite.SqliteError)) return error;
  if (error.code === 'SQLITE_NOTADB')
    return new UsageError(`${path} is not a SQLite file`, {
      hint: 'Name another path under `warehouse:` in the configuration. Nothing was changed.',
      cause: error,
    });
  if (isOfRights(error)) return unwritable(path, error);
  return explainSqlite(error, `the warehouse ${path}`);
}

function close(db: Database, readonly: boolean): void {
  if (!db.open) return;
  try {
    if (!readonly) tidy(db);
  } finally {
    db.close();
  }
}

/**
 * Tries to optimise the file and to truncate the WAL, without waiting for long queries. If the disk is full, the next
 * write reports the error.
 */
function tidy(db: Database): void {
  try {
    db.pragma('optimize');
    truncateWal(db, 0);
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
  }
}
