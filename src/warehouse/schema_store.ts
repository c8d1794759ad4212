import type { Database } from 'better-sqlite3';
import { segmentsOf } from '../json/pointer.ts';
import {
  type DeclaredType,
  declaredType,
  emptySchema,
  type InferredSchema,
  type InferredTable,
  type SchemaPath,
  typeBits,
} from './inferred_schema.ts';
import {
  createPayloadIndex,
  type DeclaredColumn,
  definitionOf,
  payloadTableSql,
  redeclare,
} from './payload_table.ts';
import { quoted } from './quoted.ts';
import { addMember, addTable, setColumn } from './schema_growth.ts';
import { countsOf } from './schema_writer.ts';

/** The tables for the three resources. Lists in their payloads are stored in child tables. */
export const RESOURCE_TABLES = ['entity', 'search_result', 'registry_stats'] as const;
export type ResourceTable = (typeof RESOURCE_TABLES)[number];

/** Reads the inferred schema from the warehouse. */
export function readSchema(
  db: Database,
  options: Pick<InferredSchema, 'limits' | 'mapping' | 'reserved'>,
): InferredSchema {
  const schema = emptySchema(options);
  for (const name of RESOURCE_TABLES)
    addTable(schema, { name, parent: null, path: '' }).stored.isCreated = true;
  for (const row of storedTables(db)) restoreTable(schema, row);
  for (const row of storedColumns(db)) restoreSchemaPath(schema, row);
  for (const table of schema.tables.values()) restoreOrder(db, table);
  return schema;
}

/**
 * Adds the tables and columns that rows in memory need, and widens types. Call this function before writing the rows.
 */
export function alterTables(db: Database, schema: InferredSchema): void {
  if (!schema.isAhead) return;
  for (const table of schema.tables.values()) {
    if (!table.stored.isCreated) createChildTable(db, table);
    addColumns(db, table);
    widenTypes(db, table);
  }
  schema.isAhead = false;
}

export function resourceTable(schema: InferredSchema, name: ResourceTable): InferredTable {
  const table = schema.tables.get(name);
  if (table === undefined) throw new TypeError(`the schema has no table ${name}`);
  return table;
}

/** Returns a function whose result changes when any connection changes the schema. */
export function schemaVersion(db: Database): () => number {
  const read = db.prepare<[], number>('PRAGMA schema_version').pluck();
  return () => read.get() ?? 0;
}

interface StoredTable {
  readonly table_name: string;
  readonly parent_table: string | null;
  readonly path: string;
  readonly rows_seen: number;
  readonly compared: number;
  readonly first_seen_at: string;
}

interface StoredColumn {
  readonly table_name: string;
  readonly path: string;
  readonly column_name: string | null;
  readonly child_table: string | null;
  readonly type: DeclaredType;
  readonly types: string;
  readonly present: number;
  readonly nulls: number;
  readonly changes: number;
  readonly first_seen_at: string;
  readonly changed_at: string;
  readonly call_id: number;
}

function storedTables(db: Database): StoredTable[] {
  // Sorting by name length puts parents first, because a child table's name starts with its parent's name.
  return db
    .prepare(
      `SELECT table_name, parent_table, path, rows_seen, compared, first_seen_at FROM _table ORDER BY length(table_name)`,
    )
    .all() as StoredTable[];
}

function storedColumns(db: Database): StoredColumn[] {
  return db
    .prepare(
      `SELECT table_name, path, column_name, child_table, type, types, present, nulls, changes,
              first_seen_at, changed_at, call_id
       FROM _column`,
    )
    .all() as StoredColumn[];
}

function restoreTable(schema: InferredSchema, row: StoredTable): void {
  const parent = row.parent_table === null ? null : (schema.tables.get(row.parent_table) ?? null);
  const table =
    schema.tables.get(row.table_name) ?? addTable(schema, { name: row.table_name, parent, path: row.path });
  table.rowsSeen = row.rows_seen;
  table.compared = row.compared;
  table.firstSeenAt = row.first_seen_at;
  // The list element's own path is not stored until the element has a scalar value or changes.
  table.root.firstSeen = { ...table.root.firstSeen, sentAt: row.first_seen_at };
  table.root.changedAt = row.first_seen_at;
  table.stored.isCreated = true;
}

function restoreSchemaPath(schema: InferredSchema, row: StoredColumn): void {
  const table = schema.tables.get(row.table_name);
  if (table === undefined) return;
  const schemaPath = schemaPathAt(schema, table.root, segmentsOf(row.path));
  schemaPath.types = typeBits(row.types);
  schemaPath.present = row.present;
  schemaPath.nulls = row.nulls;
  schemaPath.changes = row.changes;
  schemaPath.firstSeen = { sentAt: row.first_seen_at, callId: row.call_id };
  schemaPath.changedAt = row.changed_at;
  schemaPath.list = row.child_table === null ? null : (schema.tables.get(row.child_table) ?? null);
  if (row.column_name !== null) setColumn(schemaPath, row.column_name);
  schemaPath.stored = {
    declared: row.type,
    types: schemaPath.types,
    counts: countsOf(schemaPath),
    isNamed: true,
  };
}

function schemaPathAt(schema: InferredSchema, root: SchemaPath, keys: readonly string[]): SchemaPath {
  return keys.reduce(
    (schemaPath, key) => schemaPath.members?.get(key) ?? addMember(schema, schemaPath, key),
    root,
  );
}

// Values are bound by position, so the columns in memory must be in the same order as in the prepared statements.
function restoreOrder(db: Database, table: InferredTable): void {
  const names = db.prepare('SELECT name FROM pragma_table_info(?)').pluck();
  table.hasRest = names.all(table.name).includes('_rest');
  table.stored.hasRest = table.hasRest;
  table.stored.columns = table.columns.length;
}

/**
 * Creates the table with all its columns in one statement, because each ALTER TABLE would read the whole schema again.
 */
function createChildTable(db: Database, table: InferredTable): void {
  const columns = table.columns.map((schemaPath) => {
    schemaPath.stored.declared = declaredType(schemaPath.types);
    return declaration(schemaPath);
  });
  const payload = [...columns, ...(table.hasRest ? [{ name: '_rest', type: 'TEXT' as const }] : [])];
  db.exec(payloadTableSql(table.name, { isNested: table.listDepth > 1, payload }));
  table.stored.isCreated = true;
  table.stored.columns = table.columns.length;
  table.stored.hasRest = table.hasRest;
  table.stored.version++;
  for (const schemaPath of table.columns)
    if (schemaPath.rule?.index) createPayloadIndex(db, table.name, schemaPath.column ?? '');
}

function declaration({ column, types }: SchemaPath): DeclaredColumn {
  return { name: column ?? '', type: declaredType(types) };
}

function addColumns(db: Database, table: InferredTable): void {
  for (const schemaPath of table.columns.slice(table.stored.columns)) {
    db.exec(`ALTER TABLE ${quoted(table.name)} ADD COLUMN ${definitionOf(declaration(schemaPath))}`);
    if (schemaPath.rule?.index) createPayloadIndex(db, table.name, schemaPath.column ?? '');
    schemaPath.stored.declared = declaredType(schemaPath.types);
    table.stored.version++;
  }
  table.stored.columns = table.columns.length;
  if (table.hasRest && !table.stored.hasRest)
    db.exec(`ALTER TABLE ${quoted(table.name)} ADD COLUMN _rest TEXT`);
  if (table.hasRest !== table.stored.hasRest) table.stored.version++;
  table.stored.hasRest = table.hasRest;
}

function widenTypes(db: Database, table: InferredTable): void {
  const drifted = table.columns.filter(
    (schemaPath) => schemaPath.stored.declared !== declaredType(schemaPath.types),
  );
  if (drifted.length === 0) return;
  redeclare(
    db,
    table.name,
    new Map(drifted.map((schemaPath) => [schemaPath.column ?? '', declaredType(schemaPath.types)])),
  );
  for (const schemaPath of drifted) schemaPath.stored.declared = declaredType(schemaPath.types);
  table.stored.version++;
}
