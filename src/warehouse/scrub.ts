import Sqlite, { type Database } from 'better-sqlite3';
import { row } from '../sqlite/statements.ts';
import { metaTable } from './meta.ts';
import { truncateWal } from './wal.ts';

/**
 * Requests that the bytes of deleted rows are overwritten. Call this function in the transaction that deletes the rows, so
 * that `finishScrub` overwrites them later if the process is killed first.
 */
export function requestScrub(db: Database): void {
  metaTable(db).set(PENDING, 'file');
}

/**
 * If it was requested, overwrites the bytes that deleted rows leave in the full-text index, in SQLite's samples of indexed
 * values, in free space and in the WAL. Returns false if another program still uses an old version of the file. The next
 * call then overwrites the rest.
 */
export function finishScrub(db: Database): boolean {
  const meta = metaTable(db);
  const pending = meta.get(PENDING);
  if (pending === null) return true;
  if (pending !== 'wal') {
    if (row(db, "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'"))
      db.exec('DELETE FROM sqlite_stat4');
    rewrite(db);
    meta.set(PENDING, 'wal');
  }
  if (!truncateWal(db, LONGEST_WAIT_MS)) return false;
  meta.set(PENDING, null);
  return true;
}

/** Completes an interrupted `forget`. If a reader or a full disk prevents it, the next command that writes does it. */
export function resumeScrub(db: Database): void {
  try {
    finishScrub(db);
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError) || !/^SQLITE_(BUSY|FULL)/.test(error.code)) throw error;
  }
}

/** The part that must still be overwritten: the `file` and then the `wal`, or only the `wal`. */
const PENDING = 'scrub_pending';

/** Rewrites the file without its free space. Readers can continue. */
export function rewrite(db: Database): void {
  // FTS5 keeps the texts of deleted rows until it merges its segments.
  db.exec("INSERT INTO entity_fts (entity_fts) VALUES ('optimize')");
  db.pragma('temp_store = FILE');
  try {
    db.exec('VACUUM');
  } finally {
    db.pragma('temp_store = MEMORY');
  }
}

/** The longest time that `forget` waits for readers. */
const LONGEST_WAIT_MS = 1000;
