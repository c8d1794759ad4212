import { type ColumnRule, DEFAULT_MAPPING, type Mapping } from '../dialect/mapping.ts';
import { pointerOf, segmentsOf } from '../json/pointer.ts';
import { childTableName, columnName } from './column_name.ts';
import { keysBelowContainers } from './container_keys.ts';
import { type TextRole, textRole } from './text_role.ts';

/**
 * The inferred schema in memory, which is a tree of the paths seen in payloads. A path can have a column, a child table
 * for its lists, and paths below it. `schema_store.ts` and `schema_writer.ts` store the schema in `_column` and
 * `_table`.
 */
export interface InferredSchema {
  readonly tables: Map<string, InferredTable>;
  /** Tables with columns, types or counts that are not stored yet. */
  readonly touched: Set<InferredTable>;
  /** True if rows in memory need a table, a column or a wider type that is not in the warehouse yet. */
  isAhead: boolean;
  /** The total number of paths in all tables. */
  pathCount: number;
  /** The response that is being processed. New paths and types are recorded with its call id and date. */
  at: SeenAt;
  readonly limits: SchemaLimits;
  readonly mapping: Mapping;
  /** Names chosen earlier for paths and lists that have not been seen yet, by table and path. */
  readonly reserved: ReservedNames;
}

export interface SeenAt {
  /** ISO 8601. */
  readonly sentAt: string;
  readonly callId: number;
}

export interface ReservedNames {
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export const NO_NAMES: ReservedNames = { columns: new Map(), tables: new Map() };

export interface SchemaLimits {
  /** The maximum number of payload columns per table. Further fields are stored in `_rest`. */
  readonly columns: number;
  readonly childTables: number;
  /** The maximum nesting depth of objects. */
  readonly depth: number;
  /** The maximum nesting depth of lists. */
  readonly listDepth: number;
  /** The maximum number of paths in all tables. Each path has a row in `_column` and takes 600 bytes of memory. */
  readonly paths: number;
}

// SQLite allows 2,000 columns in a table and in a query result, so this limit leaves room for a join of two tables.
export const DEFAULT_LIMITS: SchemaLimits = {
  columns: DEFAULT_MAPPING.max_columns,
  childTables: 200,
  depth: 16,
  listDepth: 4,
  paths: 5_000,
};

export interface InferredTable {
  readonly name: string;
  readonly parent: InferredTable | null;
  /** The list's path in a row of the parent table. */
  readonly path: string;
  /** The keys from the payload's root to the list elements, with `*` for the elements of each list on the path. */
  readonly keysFromTop: readonly string[];
  readonly listDepth: number;
  readonly root: SchemaPath;
  readonly paths: SchemaPath[];
  /** The paths that have a column, in the same order as the values in a row. */
  readonly columns: SchemaPath[];
  readonly taken: Set<string>;
  firstSeenAt: string;
  hasRest: boolean;
  rowsSeen: number;
  compared: number;
  /** The state stored in the warehouse. `version` increases when a column is added or a type is widened. */
  stored: { isCreated: boolean; columns: number; hasRest: boolean; version: number };
}

export interface SchemaPath {
  readonly table: InferredTable;
  readonly keys: readonly string[];
  readonly path: string;
  /** The rule that the mapping specifies for this path; null if there is none. */
  readonly rule: ColumnRule | null;
  readonly role: TextRole;
  members: Map<string, SchemaPath> | null;
  list: InferredTable | null;
  column: string | null;
  /** The value's position in a row; -1 if the path has no column. */
  index: number;
  firstSeen: SeenAt;
  /** When a value of a new type was last seen. */
  changedAt: string;
  /** The value types seen, as a bit set of `TYPE_BITS`. */
  types: number;
  present: number;
  nulls: number;
  changes: number;
  /**
   * The state stored in the warehouse. `isNamed` is true if the stored row has the name of this path's column or list.
   */
  stored: { declared: DeclaredType; types: number; counts: number; isNamed: boolean };
}

export type DeclaredType = 'TEXT' | 'INTEGER' | 'REAL' | '';

/** The value types, with one bit each. */
export const TYPE_BITS = {
  text: 1,
  date: 2,
  datetime: 4,
  boolean: 8,
  integer: 16,
  big_integer: 32,
  decimal: 64,
  exact: 128,
  object: 256,
  list: 512,
} as const;

const TEXTS = TYPE_BITS.text | TYPE_BITS.date | TYPE_BITS.datetime | TYPE_BITS.exact;
const WHOLES = TYPE_BITS.boolean | TYPE_BITS.integer | TYPE_BITS.big_integer;

/**
 * Returns a declared type that changes no value. SQLite converts values to their column's declared type. In an INTEGER
 * column, for example, the text "007" would become 7. A column with both text and numbers has no declared type, so that
 * each value keeps its own.
 */
export function declaredType(types: number): DeclaredType {
  const isText = (types & TEXTS) !== 0;
  const isWhole = (types & WHOLES) !== 0;
  const isDecimal = (types & TYPE_BITS.decimal) !== 0;
  if (isText) return isWhole || isDecimal ? '' : 'TEXT';
  if (!isDecimal) return isWhole ? 'INTEGER' : '';
  return (types & TYPE_BITS.big_integer) !== 0 ? '' : 'REAL';
}

export function typeNames(types: number): string {
  return Object.entries(TYPE_BITS)
    .flatMap(([name, bit]) => ((types & bit) === 0 ? [] : [name]))
    .join(' ');
}

export function typeBits(names: string): number {
  return names.split(' ').reduce((bits, name) => bits | (TYPE_BITS[name as keyof typeof TYPE_BITS] ?? 0), 0);
}

export function emptySchema(
  options: Pick<InferredSchema, 'limits' | 'mapping' | 'reserved'>,
): InferredSchema {
  return {
    tables: new Map(),
    touched: new Set(),
    isAhead: false,
    pathCount: 0,
    at: { sentAt: '', callId: 0 },
    ...options,
  };
}

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
    stored: { isCreated: false, columns: 0, hasRest: false, version: 0 },
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
  schemaPath.stored.isNamed = false;
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
  schemaPath.stored.isNamed = false;
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
    stored: { declared: '', types: 0, counts: 0, isNamed: false },
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
 * A placeholder for the root of a new table. A table and its root refer to each other, so the real root is set after
 * the table exists.
 */
const ROOTLESS = {} as SchemaPath;
