import { ExactNumber, type Json, parseJson } from '../../src/json/json.ts';
import { type SqlValue, sqlValue } from '../../src/load/shred.ts';
import { quoted } from '../../src/sqlite/statements.ts';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';

/** Returns every scalar in a document except null, by its full path. The document's rows must contain all of them. */
export type Leaves = Map<string, string>;

export function leavesOf(value: Json, path = '', into: Leaves = new Map()): Leaves {
  if (value === null) return into;
  if (Array.isArray(value)) {
    for (const [at, inner] of value.entries()) leavesOf(inner, `${path}/${at}`, into);
  } else if (typeof value === 'object' && !(value instanceof ExactNumber))
    for (const key of Object.keys(value))
      leavesOf(value[key] as Json, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, into);
  else into.set(path, shown(sqlValue(value)));
  return into;
}

/** Reads a stored document's scalars from the tables, with the help of `_column`, `_table` and `_rest`. */
export function leavesInRows({ db }: Warehouse, root: string, entityId: string): Leaves {
  const into: Leaves = new Map();
  const tables = db.prepare('SELECT table_name, parent_table, path FROM _table').all() as {
    table_name: string;
    parent_table: string | null;
    path: string;
  }[];

  const readRow = (table: string, row: Record<string, SqlValue>, prefix: string): void => {
    for (const [path, column] of columnsOf(table)) {
      const value = row[column] as SqlValue | undefined;
      if (value !== null && value !== undefined) into.set(prefix + path, shown(value));
    }
    if (typeof row._rest === 'string')
      for (const [path, value] of Object.entries(parseJson(row._rest) as Record<string, Json>))
        leavesOf(value, prefix + path, into);
    for (const child of tables.filter(({ parent_table }) => parent_table === table))
      readList(child.table_name, prefix + child.path, isNested(child.table_name) ? row.position : undefined);
  };
  const readList = (table: string, prefix: string, parentPosition: SqlValue | undefined): void => {
    const rows = db
      .prepare(`SELECT * FROM ${quoted(table)} WHERE entity_id = ? ORDER BY position`)
      .safeIntegers()
      .all(entityId) as Record<string, SqlValue>[];
    const ofParent = rows.filter(
      (row) => parentPosition === undefined || row.parent_position === parentPosition,
    );
    for (const [at, row] of ofParent.entries()) readRow(table, row, `${prefix}/${at}`);
  };
  const isNested = (table: string): boolean =>
    tables.some(({ table_name, parent_table }) => table_name === table && parent_table !== root);
  const columnsOf = (table: string): [string, string][] =>
    db
      .prepare('SELECT path, column_name FROM _column WHERE table_name = ? AND column_name IS NOT NULL')
      .raw()
      .all(table) as [string, string][];

  const row = db
    .prepare(`SELECT * FROM ${quoted(root)} WHERE entity_id = ?`)
    .safeIntegers()
    .get(entityId);
  if (row !== undefined) readRow(root, row as Record<string, SqlValue>, '');
  return into;
}

// SQLite stores a lone surrogate as the replacement character. Numbers are compared by value.
function shown(value: SqlValue): string {
  if (typeof value === 'string') return `text ${value.toWellFormed()}`;
  return `number ${Number(value) === 0 ? 0 : value}`;
}
