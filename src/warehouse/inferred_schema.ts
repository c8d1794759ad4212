import { type ColumnRule, DEFAULT_MAPPING, type Mapping } from '../dialect/mapping.ts';
import { pointerOf, segmentsOf } from '../json/pointer.ts';
import { childTableName, columnName } from './column_name.ts';
import { type TextRole, textRole } from './text_role.ts';

/**
 * The inferred schema in memory: a tree of places in the payload, each leading to a column, to the table of
 * its lists, or to places below. `shape_store.ts` keeps it in `_column` and `_table`.
 */
export interface InferredSchema {
  readonly tables: Map<string, InferredTable>;
  /** Tables with something that the file does not have yet: columns, types or counts. */
  readonly touched: Set<InferredTable>;
  /** The file lacks a table, a column or a wider type that rows in memory need. */
  isAhead: boolean;
  /** In all tables. */
  placeCount: number;
  /** The answer that is being taken in: new places and types are dated by it. */
  at: SeenAt;
  readonly limits: SchemaLimits;
  readonly mapping: Mapping;
  /** Names decided before, by table and path, for places and lists that are not there yet. */
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
  /** Payload columns per table; the rest goes to `_rest`. */
  readonly columns: number;
  readonly childTables: number;
  /** Objects within objects. */
  readonly depth: number;
  /** Lists within lists. */
  readonly listDepth: number;
  /** Places in all tables: each has a row in `_column`, and takes 600 bytes of memory. */
  readonly places: number;
}

// SQLite allows 2,000 columns in a table and in a result; two joined tables must fit.
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
  /** Where the list stands in the parent's row. */
  readonly path: string;
  /** The keys that lead from the top of the payload to its elements, `*` for each list. */
  readonly keysFromTop: readonly string[];
  readonly listDepth: number;
  readonly root: SchemaPath;
  readonly places: SchemaPath[];
  /** Places with a column, in the order of the values of a row. */
  readonly columns: SchemaPath[];
  readonly taken: Set<string>;
  firstSeenAt: string;
  hasRest: boolean;
  rowsSeen: number;
  compared: number;
  /** What the file has of it; `version` grows with its columns and types. */
  stored: { isCreated: boolean; columns: number; hasRest: boolean; version: number };
}

export interface SchemaPath {
  readonly table: InferredTable;
  readonly keys: readonly string[];
  readonly path: string;
  /** What the mapping wants with it. */
  readonly rule: ColumnRule | null;
  readonly role: TextRole;
  members: Map<string, SchemaPath> | null;
  list: InferredTable | null;
  column: string | null;
  /** Position of the value in a row; -1 without a column. */
  index: number;
  firstSeen: SeenAt;
  /** When a type was last added. */
  changedAt: string;
  /** Types seen, as bits. */
  types: number;
  present: number;
  nulls: number;
  changes: number;
  /** What the file has of it; `isNamed`: that it leads to this column or list, too. */
  stored: { declared: DeclaredType; types: number; counts: number; isNamed: boolean };
}

export type DeclaredType = 'TEXT' | 'INTEGER' | 'REAL' | '';

/** What was seen at a place. */
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
 * The declared type that alters no value: SQLite converts towards it. Text that looks like a number would
 * lose its leading zeros under INTEGER, so a place with both has no type, and every value keeps its own.
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

/** The place of `key` below `place`, made when it is new; null when the table is full. */
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

/** Gives the place a column; false when the table is full. */
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

/** The table of the lists at this place; null when no more tables may be added. */
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

/** Remembers that a value of this type stood here. */
export function sawType(schema: InferredSchema, place: SchemaPath, bit: number): void {
  if ((place.types & bit) !== 0) return;
  place.types |= bit;
  place.changedAt = schema.at.sentAt;
  schema.isAhead = true;
}

/** The table has values without a column from now on. */
export function needRest(schema: InferredSchema, table: InferredTable): void {
  if (table.hasRest) return;
  table.hasRest = true;
  schema.isAhead = true;
}

function isFull(schema: InferredSchema, table: InferredTable): boolean {
  return table.columns.length >= schema.limits.columns || table.places.length >= 4 * schema.limits.columns;
}

// A key must come back from the file as it went in.
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

/** Replaced as soon as the table exists: a table and its root refer to each other. */
const ROOTLESS = {} as SchemaPath;
