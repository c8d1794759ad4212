import { statSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';
import { rows } from '../sqlite/statements.ts';
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

/** The uses of the file's space, in bytes. */
export interface SpaceUse {
  readonly responses: number;
  /** The tables that analysts read. */
  readonly tables: number;
  /** The indexes of names and identifiers. */
  readonly search_index: number;
  /** The state of each company, for planning. */
  readonly companies: number;
  /** Calls, runs and all other internal tables. */
  readonly other: number;
}

/** Measures each table with its indexes. Reads every page of the file. */
export function spaceUse(db: Database): SpaceUse {
  const use = { responses: 0, tables: 0, search_index: 0, companies: 0, other: 0 };
  const sizes = rows<{ name: string; bytes: number }>(
    db,
    `SELECT coalesce(s.tbl_name, d.name) AS name, sum(d.pgsize) AS bytes
     FROM dbstat('main', 1) d LEFT JOIN sqlite_schema s ON s.name = d.name GROUP BY 1`,
  );
  for (const { name, bytes } of sizes) use[purposeOf(name)] += bytes;
  return use;
}

function purposeOf(table: string): keyof SpaceUse {
  if (table === '_answer' || table === '_block') return 'responses';
  if (table.startsWith('entity_fts') || table.startsWith('_name')) return 'search_index';
  if (table === '_company') return 'companies';
  return table.startsWith('_') || table.startsWith('sqlite_') ? 'other' : 'tables';
}
