import type { Database } from 'better-sqlite3';
import { row } from '../sqlite/query.ts';
import { metaTable } from './meta.ts';
import { truncateWal } from './wal.ts';

/**
 * Overwrites the bytes that deleted rows leave in the full-text index, in SQLite's samples of indexed values, in free
 * space and in the WAL. Returns false if a
 * reader still uses an old version of the file. `finishScrub` then overwrites the rest later.
 */
export function scrub(db: Database): boolean {
  metaTable(db).set('scrub_pending', '1');
  if (row(db, "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'")) db.exec('DELETE FROM sqlite_stat4');
  rewrite(db);
  return finishScrub(db);
}

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

/**
 * Copies the WAL to the file and truncates it, if `scrub` could not. Returns false if a reader still prevents it.
 */
export function finishScrub(db: Database): boolean {
  const meta = metaTable(db);
  if (meta.get('scrub_pending') === null) return true;
  if (!truncateWal(db, LONGEST_WAIT_MS)) return false;
  meta.set('scrub_pending', null);
  return true;
}

/** The longest time that `forget` waits for readers. */
const LONGEST_WAIT_MS = 1000;
