import type { Database } from 'better-sqlite3';
import { rows } from '../sqlite/statements.ts';

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
