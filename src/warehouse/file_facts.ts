import { statSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';
import { metaTable } from './meta.ts';
import { walBytes } from './wal.ts';

/** The warehouse's file. */
export interface FileFacts {
  readonly bytes: number;
  /** The size of the WAL in bytes. */
  readonly walBytes: number;
  readonly schemaVersion: string | null;
}

export function readFileFacts(db: Database): FileFacts {
  return {
    bytes: statSync(db.name, { throwIfNoEntry: false })?.size ?? 0,
    walBytes: walBytes(db),
    schemaVersion: metaTable(db).get('schema_version'),
  };
}

/** Reads the whole file and returns the first fault that SQLite finds, or null if the file is intact. */
export function integrityFault(db: Database): string | null {
  const found = db.pragma('quick_check(1)', { simple: true }) as string;
  return found === 'ok' ? null : found;
}

/** Returns the version of SQLite. Throws if SQLite was built without full-text search by trigrams. */
export function sqliteVersion(): string {
  const db = new Sqlite(':memory:');
  try {
    db.exec("CREATE VIRTUAL TABLE t USING fts5 (name, tokenize = 'trigram remove_diacritics 1')");
    return db.prepare('SELECT sqlite_version()').pluck().get() as string;
  } finally {
    db.close();
  }
}
