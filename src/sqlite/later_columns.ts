import Sqlite, { type Database } from 'better-sqlite3';
import { quoted, values } from './statements.ts';

export interface TableColumn {
  readonly name: string;
  readonly definition: string;
}

/** Adds the columns of a schema that a file of an older version lacks. The file has all tables of the schema. */
export function addLaterColumns(db: Database, schema: string): void {
  const current = new Sqlite(':memory:');
  try {
    current.exec(schema);
    const tables = values<string>(
      current,
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'entity_fts*' AND name NOT GLOB 'sqlite_*'",
    );
    for (const table of tables) addColumns(db, table, columnsIn(current, table));
  } finally {
    current.close();
  }
}

export function addColumns(db: Database, table: string, columns: readonly TableColumn[]): void {
  const existing = new Set(columnsIn(db, table).map(({ name }) => name));
  for (const { name, definition } of columns)
    if (!existing.has(name)) db.exec(`ALTER TABLE ${quoted(table)} ADD COLUMN ${quoted(name)} ${definition}`);
}

export function columnsIn(db: Database, table: string): TableColumn[] {
  return db
    .prepare<[string], TableColumn>(
      `SELECT name, type || iif("notnull" AND dflt_value IS NOT NULL, ' NOT NULL DEFAULT ' || dflt_value, '') AS definition
       FROM pragma_table_info(?)`,
    )
    .all(table);
}
