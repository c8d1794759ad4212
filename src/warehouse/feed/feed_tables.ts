import type { Database } from 'better-sqlite3';
import { quoted } from '../../sqlite/statements.ts';
import {
  analystTables,
  type Cell,
  columnsOf,
  type ExportColumn,
  requireExportable,
} from '../export/rowset.ts';
import { publishedTable } from '../published_tables.ts';

export interface FeedTable {
  readonly name: string;
  readonly columns: readonly ExportColumn[];
  /** The names of the key columns. */
  readonly keys: readonly string[];
}

/**
 * Returns the tables in the change feed, in export order. Tables that no longer exist are excluded, although the feed
 * still reports their deleted rows.
 */
export function feedTables(db: Database): FeedTable[] {
  return analystTables(db).map((name) => feedTable(db, name));
}

/** @throws UsageError if the change feed has no such table, or had none before a rebuild dropped it. */
export function requireFeedTables(db: Database, tables: readonly string[]): void {
  const known = analystTables(db);
  const wasDropped = db.prepare('SELECT 1 FROM _feed_row WHERE table_name = ? AND is_deleted LIMIT 1');
  for (const table of tables)
    if (!known.includes(table) && wasDropped.get(table) === undefined) requireExportable(table, known);
}

function feedTable(db: Database, name: string): FeedTable {
  return { name, columns: columnsOf(db, name), keys: keysOf(name) };
}

/** Returns whether `forget` deletes rows from the table. */
export function isOfCompanies({ columns }: FeedTable): boolean {
  return columns.some(({ name }) => name === 'entity_id');
}

/** A company's record and its summary, with the tables of their first rows. */
export const PARTS = { record: 'entity', summary: 'search_result' } as const;
export type FeedPart = keyof typeof PARTS;

/** Returns a table's current rows with the value `key` in the first key column. */
type Rows = (table: string, key: Cell) => { readonly table: FeedTable; readonly rows: Cell[][] };

/** Reads current rows from the tables in the change feed. */
export interface Reader {
  readonly rows: Rows;
  /** The list tables of records and of summaries, in version order. */
  readonly lists: Readonly<Record<FeedPart, readonly string[]>>;
}

export function openRows(db: Database): Reader {
  const names = analystTables(db);
  const opened = new Map<string, (key: Cell) => ReturnType<Rows>>();
  const open = (name: string): ((key: Cell) => ReturnType<Rows>) => {
    if (!names.includes(name)) return () => ({ table: droppedTable(name), rows: [] });
    const table = feedTable(db, name);
    const order = table.keys.length > 1 ? 'ORDER BY position' : '';
    const select = db
      .prepare<[Cell], Cell[]>(`SELECT * FROM ${quoted(name)} WHERE ${table.keys[0]} = ? ${order}`)
      .raw()
      .safeIntegers();
    return (key) => ({ table, rows: select.all(key) });
  };
  const below = (root: string) => names.filter((name) => name.startsWith(`${root}__`));
  return {
    rows: (name, key) => {
      const read = opened.get(name) ?? open(name);
      opened.set(name, read);
      return read(key);
    },
    lists: { record: below('entity'), summary: below('search_result') },
  };
}

/** Describes a table that a rebuild dropped. Only its deleted rows remain in the feed. */
function droppedTable(name: string): FeedTable {
  const keys = keysOf(name);
  return {
    name,
    columns: keys.map((key) => ({ name: key, kind: key === 'position' ? 'integer' : 'text' })),
    keys,
  };
}

export function keyOf({ columns, keys }: FeedTable, row: readonly Cell[]): Cell[] {
  return keys.map((key) => row[columns.findIndex(({ name }) => name === key)] ?? null);
}

function keysOf(table: string): readonly string[] {
  return publishedTable(table)?.key ?? [];
}
