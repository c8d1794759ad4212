import {
  MAX_LIST_CELLS,
  MAX_LIST_ROWS,
  MAX_REST_PATH_CHARS,
  MAX_SEARCH_TEXTS,
} from '../dialect/response_limits.ts';
import { ExactNumber, type Json, type JsonObject, scalarText } from '../json/json.ts';
import { pointerOf, segmentsOf } from '../json/pointer.ts';
import type { InferredSchema, InferredTable, SchemaPath } from '../warehouse/inferred_schema.ts';
import { TYPE_BITS } from '../warehouse/value_types.ts';
import { converted } from './conversion.ts';

export type SqlValue = null | number | bigint | string;

/** A row in a payload table. `values` is in the order of `table.columns`, and trailing values can be missing. */
export interface Row {
  readonly table: InferredTable;
  /** The row's index among the entity's rows in this table; 0 for the root row. */
  readonly position: number;
  /** For nested lists, the position of the element that contains this list. */
  readonly parentPosition: number;
  readonly values: SqlValue[];
  /** The values that have no column, by JSON Pointer; null if there are none. */
  rest: Record<string, Json> | null;
}

/**
 * Converts a document to rows. Scalars become columns, the fields of objects become columns in the same row, and list
 * elements become rows in child tables. New paths are added to the inferred schema. The first row is the root row.
 */
export function shred(
  schema: InferredSchema,
  table: InferredTable,
  document: JsonObject,
  room: Room = wholeRoom(),
): Shredded {
  const shredding: Shredding = {
    schema,
    room,
    rows: [],
    positions: new Map(),
    formerNames: [],
    identifiers: [],
  };
  const row = addRow(shredding, table, 0);
  storeMembers(shredding, table.root, document, row);
  return shredding;
}

/** The remaining space for one response's rows. All results on a page share it. */
export interface Room {
  rows: number;
  cells: number;
  restPathChars: number;
}

export function wholeRoom(): Room {
  return { rows: MAX_LIST_ROWS, cells: MAX_LIST_CELLS, restPathChars: MAX_REST_PATH_CHARS };
}

/**
 * Converts a value for SQLite. A number that neither a double nor a 64-bit integer can represent exactly becomes text.
 */
export function sqlValue(value: Exclude<Json, Json[] | JsonObject>): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof ExactNumber) return value.digits;
  if (typeof value === 'bigint') return fitsInt64(value) ? value : value.toString();
  return value;
}

/** A document's rows, root row first, and its texts for the search index. */
export interface Shredded {
  readonly rows: readonly Row[];
  readonly formerNames: readonly string[];
  readonly identifiers: readonly string[];
}

interface Shredding extends Shredded {
  readonly schema: InferredSchema;
  readonly room: Room;
  readonly rows: Row[];
  readonly formerNames: string[];
  readonly identifiers: string[];
  readonly positions: Map<InferredTable, number>;
}

function addRow(shredding: Shredding, table: InferredTable, parentPosition: number): Row {
  const position = shredding.positions.get(table) ?? 0;
  shredding.positions.set(table, position + 1);
  const values: SqlValue[] = new Array(table.columns.length).fill(null);
  const row: Row = { table, position, parentPosition, values, rest: null };
  shredding.rows.push(row);
  shredding.schema.touched.add(table);
  table.rowsSeen++;
  return row;
}

function storeMembers(shredding: Shredding, parent: SchemaPath, object: JsonObject, row: Row): void {
  const keys = Object.keys(object);
  // All members are added before any of them gets a column, so that their names do not clash.
  const members = keys.map((key) => shredding.schema.memberOf(parent, key));
  for (const [at, schemaPath] of members.entries()) {
    const key = keys[at] ?? '';
    const value = object[key] as Json;
    if (schemaPath?.rule?.drop) continue;
    if (schemaPath === null) keepRest(shredding, row, parent.path + pointerOf([key]), value);
    else storeValue(shredding, schemaPath, value, row);
  }
}

function storeValue(shredding: Shredding, schemaPath: SchemaPath, value: Json, row: Row): void {
  if (typeof value === 'object' && value !== null && !(value instanceof ExactNumber)) {
    schemaPath.present++;
    if (Array.isArray(value)) storeList(shredding, schemaPath, value, row);
    else {
      shredding.schema.sawType(schemaPath, TYPE_BITS.object);
      storeMembers(shredding, schemaPath, value, row);
    }
    return;
  }
  const wanted = value === null || schemaPath.rule === null ? value : converted(value, schemaPath.rule);
  const bit = wanted === null ? 0 : typeBit(wanted, schemaPath.bits);
  if (
    schemaPath.column === null &&
    !(schemaPath.bits !== 0 && value === null) &&
    !addColumn(shredding, schemaPath, bit)
  ) {
    keepRest(shredding, row, schemaPath.path, value);
    return;
  }
  if (wanted === null) {
    schemaPath.nulls++;
    return;
  }
  schemaPath.present++;
  if (schemaPath.role !== null) noteText(shredding, schemaPath.role, value);
  shredding.schema.sawType(schemaPath, bit);
  row.values[schemaPath.index] = sqlValue(wanted);
}

/** Adds a column if there is enough space. The column adds one cell to every row in its table. */
function addColumn({ schema, room, positions }: Shredding, schemaPath: SchemaPath, bit: number): boolean {
  const cells = schemaPath.table.parent === null ? 0 : (positions.get(schemaPath.table) ?? 0);
  if (cells > room.cells || !schema.giveColumn(schemaPath, bit)) return false;
  room.cells -= cells;
  return true;
}

function storeList(shredding: Shredding, schemaPath: SchemaPath, list: Json[], row: Row): void {
  shredding.schema.sawType(schemaPath, TYPE_BITS.list);
  if (list.length === 0) return;
  const isWithoutLists = row.table.name === 'registry_stats';
  const table =
    isWithoutLists || !takeRoom(shredding.room, schemaPath, list)
      ? null
      : shredding.schema.listOf(schemaPath);
  if (table === null) {
    keepRest(shredding, row, schemaPath.path, list);
    return;
  }
  for (const element of list) {
    const child = addRow(shredding, table, row.position);
    if (
      typeof element === 'object' &&
      element !== null &&
      !Array.isArray(element) &&
      !(element instanceof ExactNumber)
    )
      storeMembers(shredding, table.root, element, child);
    else storeValue(shredding, table.root, element, child);
  }
}

/**
 * Reserves space for a list's rows. Returns false if there is too little, and the whole list is then stored in `_rest`.
 */
function takeRoom(room: Room, { list: table }: SchemaPath, list: readonly Json[]): boolean {
  const cells = list.length * (table?.columns.length ?? 0);
  if (list.length > room.rows || cells > room.cells) return false;
  room.rows -= list.length;
  room.cells -= cells;
  return true;
}

function noteText(
  { formerNames, identifiers }: Shredding,
  role: 'former_name' | 'identifier',
  value: Json,
): void {
  const text = scalarText(value) ?? '';
  const texts = role === 'former_name' ? formerNames : identifiers;
  if (texts.length >= MAX_SEARCH_TEXTS) return;
  if (role === 'former_name' && text !== '') formerNames.push(text);
  if (role === 'identifier' && text.length <= 60 && /\d.*\d.*\d/.test(text)) identifiers.push(text);
}

function keepRest(shredding: Shredding, row: Row, path: string, value: Json): void {
  shredding.schema.needRest(row.table);
  // Keys are "" (the root of a list of scalars) or start with "/", so no key can be `__proto__`.
  row.rest ??= {};
  const endOfParent = path.lastIndexOf('/');
  shredding.room.restPathChars -= Math.max(endOfParent, 0);
  if (endOfParent > 0 && shredding.room.restPathChars < 0) {
    const parent = path.slice(0, endOfParent);
    // In an object without a prototype, `__proto__` is a normal key.
    row.rest[parent] ??= Object.create(null) as JsonObject;
    (row.rest[parent] as JsonObject)[segmentsOf(path.slice(endOfParent))[0] ?? ''] = value;
  } else row.rest[path] = value;
}

function typeBit(value: Exclude<Json, null | Json[] | JsonObject>, known: number): number {
  if (typeof value === 'string') return (known & TYPE_BITS.text) !== 0 ? TYPE_BITS.text : textBit(value);
  if (typeof value === 'boolean') return TYPE_BITS.boolean;
  if (value instanceof ExactNumber) return TYPE_BITS.exact;
  if (typeof value === 'bigint') return fitsInt64(value) ? TYPE_BITS.big_integer : TYPE_BITS.exact;
  return Number.isSafeInteger(value) ? TYPE_BITS.integer : TYPE_BITS.decimal;
}

// Dates are stored as text. Only the column's type counts distinguish them from other text.
function textBit(text: string): number {
  if (text.length < 10 || text.length > 35) return TYPE_BITS.text;
  const isTime = text.length > 10;
  if (!(isTime ? ISO_DATETIME : ISO_DATE).test(text) || !isCalendarDay(text)) return TYPE_BITS.text;
  return isTime ? TYPE_BITS.datetime : TYPE_BITS.date;
}

/** Returns whether the day exists in its month. */
function isCalendarDay(text: string): boolean {
  const day = Number(text.slice(8, 10));
  return day <= 28 || new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === day;
}

const ISO_DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const ISO_DATETIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?\s?(Z|[+-]\d{2}:?\d{2})?$/;

function fitsInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}
