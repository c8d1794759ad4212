import { type ColumnRule, DEFAULT_MAPPING, type Mapping } from '../dialect/mapping.ts';
import { pointerOf, segmentsOf } from '../json/pointer.ts';
import { childTableName, columnName } from './column_name.ts';
import { type TextRole, textRole } from './text_role.ts';

/**
 * The inferred schema in memory: a tree of paths in the payload. Each path leads to a column, to the table of its
 * lists, or to paths below it. `schema_store.ts` and `schema_writer.ts` store it in `_column` and `_table`.
 */
export interface InferredSchema {
  readonly tables: Map<string, InferredTable>;
  /** Tables whose columns, types or counts are not stored yet. */
  readonly touched: Set<InferredTable>;
  /** The warehouse lacks a table, a column or a wider type that rows in memory need. */
  isAhead: boolean;
  /** The number of paths in all tables. */
  placeCount: number;
  /** The response that is being processed. New paths and types get its date. */
  at: SeenAt;
  readonly limits: SchemaLimits;
  readonly mapping: Mapping;
  /** Names decided before, by table and path, for paths and lists that do not exist yet. */
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
  /** Payload columns per table. `_rest` takes the other fields. */
  readonly columns: number;
  readonly childTables: number;
  /** Depth of objects in objects. */
  readonly depth: number;
  /** Depth of lists in lists. */
  readonly listDepth: number;
  /** Paths in all tables. Each has a row in `_column` and takes 600 bytes of memory. */
  readonly places: number;
}

// SQLite allows 2,000 columns in a table and in a result. Two joined tables must fit.
export const DEFAULT_LIMITS: SchemaLimits = {
  columns: DEFAULT_MAPPING.max_columns,
  childTables: 200,
  depth: 16,
  listDepth: 4,
  places: 5_000,
};

export interface InferredTable {
  readonly name: string;
  readonly parent: InferredTable | null;
  /** The path of the list in the row of the parent. */
  readonly path: string;
  /** The keys from the top of the payload to the elements, `*` for each list. */
  readonly keysFromTop: readonly string[];
  readonly listDepth: number;
  readonly root: SchemaPath;
  readonly places: SchemaPath[];
  /** Paths with a column, in the order of the values of a row. */
  readonly columns: SchemaPath[];
  readonly taken: Set<string>;
  firstSeenAt: string;
  hasRest: boolean;
  rowsSeen: number;
  compared: number;
  /** The stored part. `version` grows with the columns and types. */
  stored: { isCreated: boolean; columns: number; hasRest: boolean; version: number };
}

export interface SchemaPath {
  readonly table: InferredTable;
  readonly keys: readonly string[];
  readonly path: string;
  /** The rule of the mapping for this path. */
  readonly rule: ColumnRule | null;
  readonly role: TextRole;
  members: Map<string, SchemaPath> | null;
  list: InferredTable | null;
  column: string | null;
  /** The position of the value in a row; -1 without a column. */
  index: number;
  firstSeen: SeenAt;
  /** The time at which a type was last added. */
  changedAt: string;
  /** Types seen, as bits. */
  types: number;
  present: number;
  nulls: number;
  changes: number;
  /** The stored part. `isNamed`: the stored row has this column or list. */
  stored: { declared: DeclaredType; types: number; counts: number; isNamed: boolean };
}

export type DeclaredType = 'TEXT' | 'INTEGER' | 'REAL' | '';

/** The value types seen at a path. */
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
 * The declared type that changes no value, because SQLite converts values to the declared type. Text that looks like
 * a number would lose its leading zeros in an INTEGER column. A path with both therefore has no type, and every value
 * keeps its own.
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
    placeCount: 0,
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
    places: [],
    columns: [],
    taken: new Set(schema.reserved.columns.get(table.name)?.values()),
    firstSeenAt: schema.at.sentAt,
    hasRest: false,
    rowsSeen: 0,
    compared: 0,
    stored: { isCreated: false, columns: 0, hasRest: false, version: 0 },
  };
  const rooted = Object.assign(added, { root: newPlace(schema, added, []) });
  schema.tables.set(table.name, rooted);
  return rooted;
}

/** Returns the path of `key` below `place`, and adds it if it is new. Null: the table is full. */
export function memberOf(schema: InferredSchema, place: SchemaPath, key: string): SchemaPath | null {
  const known = place.members?.get(key);
  if (known !== undefined) return known;
  if (isFull(schema, place.table) || schema.placeCount >= schema.limits.places) return null;
  if (place.keys.length >= schema.limits.depth || !isStorable(place, key)) return null;
  return addMember(schema, place, key);
}

export function addMember(schema: InferredSchema, place: SchemaPath, key: string): SchemaPath {
  const added = newPlace(schema, place.table, [...place.keys, key]);
  place.members ??= new Map();
  place.members.set(key, added);
  return added;
}

/** Gives the path a column. Returns false if the table is full. */
export function giveColumn(schema: InferredSchema, place: SchemaPath): boolean {
  const { table } = place;
  if (isFull(schema, table)) return false;
  setColumn(place, nameFor(schema, place));
  schema.isAhead = true;
  return true;
}

function nameFor(schema: InferredSchema, place: SchemaPath): string {
  if (place.keys.length === 0) return 'value';
  const { table, path, keys, rule } = place;
  const reserved = schema.reserved.columns.get(table.name)?.get(path);
  return reserved ?? columnName(rule?.column === undefined ? keys : [rule.column], table.taken);
}

export function setColumn(place: SchemaPath, column: string): void {
  place.column = column;
  place.stored.isNamed = false;
  place.index = place.table.columns.length;
  place.table.columns.push(place);
  place.table.taken.add(column);
}

/** The table of the lists at this path; null: no more tables are permitted. */
export function listOf(schema: InferredSchema, place: SchemaPath): InferredTable | null {
  if (place.list !== null) return place.list;
  if (place.table.listDepth >= schema.limits.listDepth || schema.tables.size > schema.limits.childTables)
    return null;
  const name =
    schema.reserved.tables.get(place.table.name)?.get(place.path) ??
    childTableName(place.table.name, place.keys, takenTables(schema));
  place.list = addTable(schema, { name, parent: place.table, path: place.path });
  place.stored.isNamed = false;
  schema.isAhead = true;
  return place.list;
}

function takenTables({ tables, reserved }: InferredSchema): Set<string> {
  return new Set([
    ...tables.keys(),
    ...[...reserved.tables.values()].flatMap((names) => [...names.values()]),
  ]);
}

/** Records that a value of this type was seen at the path. */
export function sawType(schema: InferredSchema, place: SchemaPath, bit: number): void {
  if ((place.types & bit) !== 0) return;
  place.types |= bit;
  place.changedAt = schema.at.sentAt;
  schema.isAhead = true;
}

/** Records that the table has values without a column. */
export function needRest(schema: InferredSchema, table: InferredTable): void {
  if (table.hasRest) return;
  table.hasRest = true;
  schema.isAhead = true;
}

function isFull(schema: InferredSchema, table: InferredTable): boolean {
  return table.columns.length >= schema.limits.columns || table.places.length >= 4 * schema.limits.columns;
}

// A key must be stored without changes.
function isStorable({ path }: SchemaPath, key: string): boolean {
  return path.length + key.length <= MAX_PATH_LENGTH && key.isWellFormed();
}

const MAX_PATH_LENGTH = 1_000;

function newPlace(schema: InferredSchema, table: InferredTable, keys: readonly string[]): SchemaPath {
  const keysFromTop = [...table.keysFromTop, ...keys];
  const place: SchemaPath = {
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
  table.places.push(place);
  schema.placeCount++;
  return place;
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

/** Replaced when the table exists, because a table and its root refer to each other. */
const ROOTLESS = {} as SchemaPath;
