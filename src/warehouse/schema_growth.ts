import type { ColumnRule } from '../dialect/mapping.ts';
import { pointerOf, segmentsOf } from '../json/pointer.ts';
import { childTableName, columnName, keysBelowContainers } from './column_name.ts';
import type { InferredSchema, InferredTable, SchemaPath } from './inferred_schema.ts';
import { textRole } from './text_role.ts';

export function addTable(
  schema: InferredSchema,
  table: { name: string; parent: InferredTable | null; path: string },
): InferredTable {
  const added: InferredTable = {
    ...table,
    keysFromTop: table.parent === null ? [] : [...table.parent.keysFromTop, ...segmentsOf(table.path), '*'],
    listDepth: table.parent === null ? 0 : table.parent.listDepth + 1,
    root: ROOTLESS,
    paths: [],
    columns: [],
    taken: new Set(schema.reserved.columns.get(table.name)?.values()),
    firstSeenAt: schema.at.sentAt,
    hasRest: false,
    rowsSeen: 0,
    compared: 0,
    version: 0,
  };
  const rooted = Object.assign(added, { root: newSchemaPath(schema, added, []) });
  schema.tables.set(table.name, rooted);
  return rooted;
}

/**
 * Returns the path for `key` below `schemaPath`, adding it if it is new. Returns null if one of the schema's limits is
 * reached or the key cannot be stored.
 */
export function memberOf(schema: InferredSchema, schemaPath: SchemaPath, key: string): SchemaPath | null {
  const known = schemaPath.members?.get(key);
  if (known !== undefined) return known;
  if (isFull(schema, schemaPath.table) || schema.pathCount >= schema.limits.paths) return null;
  if (schemaPath.keys.length >= schema.limits.depth || !isStorable(schemaPath, key)) return null;
  return addMember(schema, schemaPath, key);
}

export function addMember(schema: InferredSchema, schemaPath: SchemaPath, key: string): SchemaPath {
  const added = newSchemaPath(schema, schemaPath.table, [...schemaPath.keys, key]);
  schemaPath.members ??= new Map();
  schemaPath.members.set(key, added);
  return added;
}

/** Adds a column for the path. Returns false if the table is full. */
export function giveColumn(schema: InferredSchema, schemaPath: SchemaPath): boolean {
  const { table } = schemaPath;
  if (isFull(schema, table)) return false;
  setColumn(schemaPath, nameFor(schema, schemaPath));
  schema.isAhead = true;
  return true;
}

function nameFor(schema: InferredSchema, schemaPath: SchemaPath): string {
  if (schemaPath.keys.length === 0) return 'value';
  const { table, path, keys, rule } = schemaPath;
  const reserved = schema.reserved.columns.get(table.name)?.get(path);
  if (reserved !== undefined) return reserved;
  return rule?.column === undefined
    ? columnName(keys, table.taken, shortKeys(schemaPath))
    : columnName([rule.column], table.taken);
}

/** List elements keep all keys, because a container in a list is often a related company. */
function shortKeys({ table, keys }: SchemaPath): readonly string[] {
  return table.parent === null ? keysBelowContainers(table.root, keys) : keys;
}

export function setColumn(schemaPath: SchemaPath, column: string): void {
  schemaPath.column = column;
  schemaPath.index = schemaPath.table.columns.length;
  schemaPath.table.columns.push(schemaPath);
  schemaPath.table.taken.add(column);
}

/**
 * Returns the child table for the lists at this path, adding it if it is new. Returns null if one of the schema's
 * limits is reached.
 */
export function listOf(schema: InferredSchema, schemaPath: SchemaPath): InferredTable | null {
  if (schemaPath.list !== null) return schemaPath.list;
  if (schemaPath.table.listDepth >= schema.limits.listDepth || schema.tables.size > schema.limits.childTables)
    return null;
  const name =
    schema.reserved.tables.get(schemaPath.table.name)?.get(schemaPath.path) ??
    childTableName(schemaPath.table.name, schemaPath.keys, takenTables(schema), shortKeys(schemaPath));
  schemaPath.list = addTable(schema, { name, parent: schemaPath.table, path: schemaPath.path });
  schema.isAhead = true;
  return schemaPath.list;
}

function takenTables({ tables, reserved }: InferredSchema): Set<string> {
  return new Set([
    ...tables.keys(),
    ...[...reserved.tables.values()].flatMap((names) => [...names.values()]),
  ]);
}

/** Records that a value of type `bit` was seen at the path. */
export function sawType(schema: InferredSchema, schemaPath: SchemaPath, bit: number): void {
  if ((schemaPath.types & bit) !== 0) return;
  schemaPath.types |= bit;
  schemaPath.changedAt = schema.at.sentAt;
  schema.isAhead = true;
}

/** Records that the table needs the column `_rest` for values without a column of their own. */
export function needRest(schema: InferredSchema, table: InferredTable): void {
  if (table.hasRest) return;
  table.hasRest = true;
  schema.isAhead = true;
}

function isFull(schema: InferredSchema, table: InferredTable): boolean {
  return table.columns.length >= schema.limits.columns || table.paths.length >= 4 * schema.limits.columns;
}

// Only keys that SQLite stores unchanged are accepted.
function isStorable({ path }: SchemaPath, key: string): boolean {
  return path.length + key.length <= MAX_PATH_LENGTH && key.isWellFormed();
}

const MAX_PATH_LENGTH = 1_000;

function newSchemaPath(schema: InferredSchema, table: InferredTable, keys: readonly string[]): SchemaPath {
  const keysFromTop = [...table.keysFromTop, ...keys];
  const schemaPath: SchemaPath = {
    table,
    keys,
    path: pointerOf(keys),
    rule: ruleAt(schema, table, keysFromTop),
    role: rootOf(table).name === 'registry_stats' ? null : textRole(keysFromTop, schema.mapping),
    members: null,
    list: null,
    column: null,
    index: -1,
    firstSeen: { sentAt: schema.at.sentAt, callId: schema.at.callId },
    changedAt: schema.at.sentAt,
    types: 0,
    present: 0,
    nulls: 0,
    changes: 0,
    saved: null,
  };
  table.paths.push(schemaPath);
  schema.pathCount++;
  return schemaPath;
}

function ruleAt(
  { mapping }: InferredSchema,
  table: InferredTable,
  keysFromTop: readonly string[],
): ColumnRule | null {
  const name = rootOf(table).name as 'entity' | 'search_result' | 'registry_stats';
  const pointer = pointerOf(keysFromTop);
  return Object.hasOwn(mapping[name], pointer) ? (mapping[name][pointer] ?? null) : null;
}

export function rootOf(table: InferredTable): InferredTable {
  return table.parent === null ? table : rootOf(table.parent);
}

/**
 * A placeholder for a new table's root. A table and its root refer to each other, so the real root is set once the
 * table exists.
 */
const ROOTLESS = {} as SchemaPath;
