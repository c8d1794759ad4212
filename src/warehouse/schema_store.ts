import type { Database } from 'better-sqlite3';
import { segmentsOf } from '../json/pointer.ts';
import { quoted, rows } from '../sqlite/statements.ts';
import {
  declaredType,
  emptySchema,
  type InferredSchema,
  type InferredTable,
  type SchemaOptions,
  type SchemaPath,
  typeBits,
  typeNames,
} from './inferred_schema.ts';
import {
  createPayloadIndex,
  declaredColumns,
  definitionOf,
  payloadTableSql,
  redeclare,
} from './payload_table.ts';
import { addMember, addTable, setColumn } from './schema_growth.ts';
import type { RowOf } from './table.ts';
import { PAYLOAD_COLUMN, PAYLOAD_TABLE } from './tables.ts';

/** The tables for the three resources. Lists in their payloads are stored in child tables. */
export const RESOURCE_TABLES = ['entity', 'search_result', 'registry_stats'] as const;
export type ResourceTable = (typeof RESOURCE_TABLES)[number];

/** Reads the inferred schema from the warehouse. */
export function readSchema(db: Database, options: SchemaOptions): InferredSchema {
  const schema = emptySchema(options);
  for (const name of RESOURCE_TABLES) addTable(schema, { name, parent: null, path: '' });
  // Sorting by name length puts parents first, because a child table's name starts with its parent's name.
  for (const row of PAYLOAD_TABLE.select<[]>(db, 'ORDER BY length(table_name)').all())
    restoreTable(schema, row);
  for (const row of PAYLOAD_COLUMN.select<[]>(db).all()) restoreSchemaPath(schema, row);
  for (const table of schema.tables.values())
    table.hasRest = declaredColumns(db, table.name).some(({ name }) => name === '_rest');
  return schema;
}

/**
 * Adds the tables and columns that rows in memory need, and widens types. Call this function before writing the rows.
 */
export function alterTables(db: Database, schema: InferredSchema): void {
  if (!schema.isAhead) return;
  for (const table of schema.tables.values()) alterTable(db, table);
  schema.isAhead = false;
}

/**
 * Returns a function that writes the inferred schema's changed names, types and counts to `_table` and `_column`. The
 * function returns true if it wrote a new column, list or type.
 */
export function schemaWriter(db: Database): (schema: InferredSchema) => boolean {
  const saveTable = PAYLOAD_TABLE.insert(db, { onConflict: 'update' });
  const saveColumn = PAYLOAD_COLUMN.insert(db, { onConflict: 'update' });
  return (schema) => {
    let isNew = false;
    for (const table of schema.touched) {
      const { name: tableName, parent, path, rowsSeen, compared, firstSeenAt } = table;
      const parentTable = parent?.name ?? null;
      saveTable({ tableName, parentTable, path, rowsSeen, compared, firstSeenAt });
      for (const schemaPath of table.paths) {
        const { saved, types, present, nulls, changes } = schemaPath;
        const isSeen = types !== 0 || present + nulls + changes > 0;
        const row = columnRow(schemaPath);
        if (!isSeen || (saved !== null && PAYLOAD_COLUMN.properties.every((one) => saved[one] === row[one])))
          continue;
        saveColumn(row);
        schemaPath.saved = row;
        isNew ||= saved === null || SHOWN_BY_VIEWS.some((one) => saved[one] !== row[one]);
      }
    }
    schema.touched.clear();
    return isNew;
  };
}

const SHOWN_BY_VIEWS = ['columnName', 'childTable', 'types'] as const;

function columnRow(schemaPath: SchemaPath): RowOf<typeof PAYLOAD_COLUMN> {
  const { table, path, column, list, types, present, nulls, changes } = schemaPath;
  return {
    tableName: table.name,
    path,
    columnName: column,
    childTable: list?.name ?? null,
    type: column === null ? '' : declaredType(types),
    types: typeNames(types),
    present,
    nulls,
    changes,
    firstSeenAt: schemaPath.firstSeen.sentAt,
    changedAt: schemaPath.changedAt,
    callId: schemaPath.firstSeen.callId,
  };
}

export function resourceTable(schema: InferredSchema, name: ResourceTable): InferredTable {
  const table = schema.tables.get(name);
  if (table === undefined) throw new TypeError(`the schema has no table ${name}`);
  return table;
}

function restoreTable(schema: InferredSchema, row: RowOf<typeof PAYLOAD_TABLE>): void {
  const parent = row.parentTable === null ? null : (schema.tables.get(row.parentTable) ?? null);
  const table =
    schema.tables.get(row.tableName) ?? addTable(schema, { name: row.tableName, parent, path: row.path });
  table.rowsSeen = row.rowsSeen;
  table.compared = row.compared;
  table.firstSeenAt = row.firstSeenAt;
  // The list element's own path is not stored until the element has a scalar value or changes.
  table.root.firstSeen = { ...table.root.firstSeen, sentAt: row.firstSeenAt };
  table.root.changedAt = row.firstSeenAt;
}

function restoreSchemaPath(schema: InferredSchema, row: RowOf<typeof PAYLOAD_COLUMN>): void {
  const table = schema.tables.get(row.tableName);
  if (table === undefined) return;
  const schemaPath = schemaPathAt(schema, table.root, segmentsOf(row.path));
  schemaPath.types = typeBits(row.types);
  schemaPath.present = row.present;
  schemaPath.nulls = row.nulls;
  schemaPath.changes = row.changes;
  schemaPath.firstSeen = { sentAt: row.firstSeenAt, callId: row.callId };
  schemaPath.changedAt = row.changedAt;
  schemaPath.list = row.childTable === null ? null : (schema.tables.get(row.childTable) ?? null);
  if (row.columnName !== null) setColumn(schemaPath, row.columnName);
  schemaPath.saved = row;
}

function schemaPathAt(schema: InferredSchema, root: SchemaPath, keys: readonly string[]): SchemaPath {
  return keys.reduce(
    (schemaPath, key) => schemaPath.members?.get(key) ?? addMember(schema, schemaPath, key),
    root,
  );
}

function alterTable(db: Database, table: InferredTable): void {
  const existing = new Map(declaredColumns(db, table.name).map(({ name, type }) => [name, type]));
  const wanted = table.columns.map(({ column, types, rule }) => ({
    name: column ?? '',
    type: declaredType(types),
    hasIndex: rule?.index === true,
  }));
  const missing = wanted.filter(({ name }) => !existing.has(name));
  const widened = wanted.filter(({ name, type }) => existing.has(name) && existing.get(name) !== type);
  const lacksRest = table.hasRest && !existing.has('_rest');
  if (existing.size > 0 && missing.length + widened.length === 0 && !lacksRest) return;
  if (existing.size === 0)
    db.exec(payloadTableSql(table.name, { isNested: table.listDepth > 1, payload: [] }));
  for (const column of missing) {
    db.exec(`ALTER TABLE ${quoted(table.name)} ADD COLUMN ${definitionOf(column)}`);
    if (column.hasIndex) createPayloadIndex(db, table.name, column.name);
  }
  if (lacksRest) db.exec(`ALTER TABLE ${quoted(table.name)} ADD COLUMN _rest TEXT`);
  if (widened.length > 0) redeclare(db, table.name, new Map(widened.map(({ name, type }) => [name, type])));
  table.version++;
}

interface Origin {
  readonly resource: ResourceTable;
  /** The JSON Pointer to the table's rows in the payload. `*` represents the elements of a list. */
  readonly pointer: string;
}

/** Returns a function that finds a table's resource and the path to its rows in the payload. */
export function originOf(db: Database): (table: string) => Origin {
  const children = rows<{ name: string; parent: string; path: string }>(
    db,
    'SELECT table_name AS name, parent_table AS parent, path FROM _table WHERE parent_table IS NOT NULL',
  );
  const byName = new Map(children.map((child) => [child.name, child]));
  return function origin(table: string): Origin {
    const child = byName.get(table);
    if (child === undefined) return { resource: table as ResourceTable, pointer: '' };
    const parent = origin(child.parent);
    return { resource: parent.resource, pointer: `${parent.pointer}${child.path}/*` };
  };
}
