import type { Database } from 'better-sqlite3';
import type { ColumnRule } from '../dialect/mapping.ts';
import { quoted, rows } from '../sqlite/statements.ts';
import { publishedTable } from './published_tables.ts';
import type { DeclaredType } from './value_types.ts';

/** A column of a payload table, as SQLite describes it. */
interface DeclaredColumn {
  readonly name: string;
  readonly type: DeclaredType;
}

/** Returns the names of a payload table's built-in columns, in order. */
export function ownColumns(table: string, isNested: boolean): string[] {
  return ownDefinitions(table, isNested).map((definition) => definition.split(' ', 1)[0] ?? '');
}

function ownDefinitions(table: string, isNested: boolean): readonly string[] {
  const root = table.split('__', 1)[0] ?? '';
  const columns = publishedTable(table)?.columns ?? [];
  return columns.flatMap(({ name, sql, isOptional }) =>
    sql === undefined || (isOptional && !isNested) ? [] : [`${name} ${sql.replace('…', root)}`],
  );
}

/** Returns the statement that creates a payload table with these payload columns. */
export function payloadTableSql(
  table: string,
  { isNested, payload }: { readonly isNested: boolean; readonly payload: readonly DeclaredColumn[] },
): string {
  const columns = [...ownDefinitions(table, isNested), ...payload.map(definitionOf)];
  return table.includes('__')
    ? `CREATE TABLE ${quoted(table)} (${columns.join(', ')}, PRIMARY KEY (entity_id, position)) WITHOUT ROWID`
    : `CREATE TABLE ${quoted(table)} (${columns.join(', ')})`;
}

function definitionOf({ name, type }: DeclaredColumn): string {
  return `${quoted(name)} ${type}`.trimEnd();
}

/** Returns all columns of a table, or none if the table does not exist. */
export function declaredColumns(db: Database, table: string): DeclaredColumn[] {
  return db
    .prepare<[string], DeclaredColumn>("SELECT name, type FROM pragma_table_info(?, 'main')")
    .all(table);
}

/** A payload column with what was seen in it. */
export interface PayloadColumn {
  readonly column: string;
  /** The value's JSON Pointer in the table's row. */
  readonly path: string;
  /** The value types seen in this column, separated by spaces. */
  readonly types: string;
}

/** Returns a table's payload columns in the order of their paths. */
export function payloadColumns(db: Database, table: string): PayloadColumn[] {
  return rows(
    db,
    `SELECT column_name AS "column", path, types FROM _column
     WHERE table_name = ? AND column_name IS NOT NULL ORDER BY path`,
    table,
  );
}

export function hasRestColumn(db: Database, table: string): boolean {
  return declaredColumns(db, table).some(({ name }) => name === '_rest');
}

/** Creates the table for a list. */
export function createPayloadTable(db: Database, table: string, isNested: boolean): void {
  db.exec(payloadTableSql(table, { isNested, payload: [] }));
}

export function addPayloadColumn(
  db: Database,
  table: string,
  column: DeclaredColumn,
  rule: ColumnRule | null = null,
): void {
  db.exec(`ALTER TABLE ${quoted(table)} ADD COLUMN ${definitionOf(column)}`);
  if (rule?.index !== true) return;
  const index = quoted(`${table}__${column.name}__index_0`);
  db.exec(`CREATE INDEX IF NOT EXISTS ${index} ON ${quoted(table)} (${quoted(column.name)})`);
}

/**
 * Changes a column's declared type without writing a row. The caller makes sure that each value is stored as the new type
 * requires. It follows SQLite's documented procedure for changes that do not affect the content
 * (https://www.sqlite.org/lang_altertable.html#otheralter), and runs in the caller's transaction.
 */
export function redeclare(db: Database, table: string, changed: DeclaredColumn): void {
  const columns = declaredColumns(db, table);
  const isNested = columns.some(({ name }) => name === 'parent_position');
  const own = new Set(ownColumns(table, isNested));
  const payload = columns
    .filter(({ name }) => !own.has(name))
    .map((column) => (column.name === changed.name ? changed : column));
  const sql = payloadTableSql(table, { isNested, payload });
  const version = db.pragma('schema_version', { simple: true }) as number;
  db.unsafeMode(true);
  try {
    db.pragma('writable_schema = ON');
    db.prepare("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?").run(sql, table);
    db.pragma(`schema_version = ${version + 1}`);
  } finally {
    db.pragma('writable_schema = RESET');
    db.unsafeMode(false);
  }
}
