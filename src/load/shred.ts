import { scalarText } from '../dialect/decode.ts';
import { MAX_LIST_CELLS, MAX_LIST_ROWS, MAX_REST_PATH_CHARS, MAX_SEARCH_TEXTS } from '../dialect/limits.ts';
import { ExactNumber, type Json, type JsonObject, stringifyJson } from '../json/json.ts';
import { segmentsOf } from '../json/pointer.ts';
import {
  giveColumn,
  type InferredSchema,
  type InferredTable,
  listOf,
  memberOf,
  needRest,
  type SchemaPath,
  sawType,
  TYPE_BITS,
} from '../warehouse/inferred_schema.ts';
import { converted } from './conversion.ts';

export type SqlValue = null | number | bigint | string;

/** One row of a payload table; `values` follow the order of `table.columns` and may be shorter. */
export interface Row {
  readonly table: InferredTable;
  /** Running number inside its table and entity; the root row has 0. */
  readonly position: number;
  /** The position of the element that holds this list, for lists within lists. */
  readonly parentPosition: number;
  readonly values: SqlValue[];
  /** What has no column, by JSON Pointer. */
  rest: Record<string, Json> | null;
}

/**
 * Turns one document into rows: scalars become columns, objects are flattened, elements of lists become rows
 * of child tables. Places never seen before are added to the shape. The first row is the document's own.
 */
export function shred(
  schema: InferredSchema,
  table: InferredTable,
  document: JsonObject,
  room: Room = wholeRoom(),
): Shredded {
  const shredding: Shredding = {
    shape: schema,
    room,
    rows: [],
    positions: new Map(),
    formerNames: [],
    identifiers: [],
  };
  const row = addRow(shredding, table, 0);
  placeMembers(shredding, table.root, document, row);
  return shredding;
}

/** The room left for the rows of one response; all results of a page share it. */
export interface Room {
  rows: number;
  cells: number;
  restPathChars: number;
}

export function wholeRoom(): Room {
  return { rows: MAX_LIST_ROWS, cells: MAX_LIST_CELLS, restPathChars: MAX_REST_PATH_CHARS };
}

/** The value as SQLite stores it: exact where a double or 64 bits would alter it, then as text. */
export function sqlValue(value: Exclude<Json, Json[] | JsonObject>): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof ExactNumber) return value.digits;
  if (typeof value === 'bigint') return fitsInt64(value) ? value : value.toString();
  return value;
}

/** The rows, the document's own first, and the texts for the search index. */
export interface Shredded {
  readonly rows: readonly Row[];
  readonly formerNames: readonly string[];
  readonly identifiers: readonly string[];
}

interface Shredding extends Shredded {
  readonly shape: InferredSchema;
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
  shredding.shape.touched.add(table);
  table.rowsSeen++;
  return row;
}

function placeMembers(shredding: Shredding, parent: SchemaPath, object: JsonObject, row: Row): void {
  for (const key of Object.keys(object)) {
    const value = object[key] as Json;
    const place = memberOf(shredding.shape, parent, key);
    if (place?.rule?.drop) continue;
    if (place === null) leaveOver(shredding, row, parent, key, value);
    else placeValue(shredding, place, value, row);
  }
}

function placeValue(shredding: Shredding, place: SchemaPath, value: Json, row: Row): void {
  if (typeof value === 'object' && value !== null && !(value instanceof ExactNumber)) {
    place.present++;
    if (Array.isArray(value)) placeList(shredding, place, value, row);
    else {
      sawType(shredding.shape, place, TYPE_BITS.object);
      placeMembers(shredding, place, value, row);
    }
    return;
  }
  if (place.column === null && !(place.types !== 0 && value === null) && !addColumn(shredding, place)) {
    keepRest(shredding, row, place.path, value);
    return;
  }
  if (value === null) {
    place.nulls++;
    return;
  }
  place.present++;
  if (place.role !== null) noteText(shredding, place.role, value);
  const wanted = place.rule === null ? value : converted(value, place.rule);
  sawType(shredding.shape, place, typeBit(wanted, place.types));
  row.values[place.index] = sqlValue(wanted);
}

/** A new column is one more cell in every row of its table. */
function addColumn({ shape: schema, room, positions }: Shredding, place: SchemaPath): boolean {
  const cells = place.table.parent === null ? 0 : (positions.get(place.table) ?? 0);
  if (cells > room.cells || !giveColumn(schema, place)) return false;
  room.cells -= cells;
  return true;
}

function placeList(shredding: Shredding, place: SchemaPath, list: Json[], row: Row): void {
  sawType(shredding.shape, place, TYPE_BITS.list);
  if (list.length === 0) return;
  const isWithoutLists = row.table.name === 'registry_stats';
  const table =
    isWithoutLists || !takeRoom(shredding.room, place, list) ? null : listOf(shredding.shape, place);
  if (table === null) {
    keepRest(shredding, row, place.path, list);
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
      placeMembers(shredding, table.root, element, child);
    else placeValue(shredding, table.root, element, child);
  }
}

/** A list is in the rows whole, or, if they have no room for it, in `_rest` whole. */
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

function leaveOver(shredding: Shredding, row: Row, parent: SchemaPath, key: string, value: Json): void {
  keepRest(shredding, row, `${parent.path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, value);
}

function keepRest(shredding: Shredding, row: Row, path: string, value: Json): void {
  needRest(shredding.shape, row.table);
  // Keys begin with "/": none can reach the prototype. The root of a scalar list has the path "".
  row.rest ??= {};
  const endOfParent = path.lastIndexOf('/');
  shredding.room.restPathChars -= Math.max(endOfParent, 0);
  if (endOfParent > 0 && shredding.room.restPathChars < 0) {
    const parent = path.slice(0, endOfParent);
    // Without a prototype, so that a key `__proto__` is a member like any other.
    row.rest[parent] ??= Object.create(null) as JsonObject;
    (row.rest[parent] as JsonObject)[segmentsOf(path.slice(endOfParent))[0] ?? ''] = value;
  } else row.rest[path] = value;
}

export function restText(rest: Record<string, Json>): string {
  return stringifyJson(rest);
}

function typeBit(value: Exclude<Json, null | Json[] | JsonObject>, known: number): number {
  if (typeof value === 'string') return (known & TYPE_BITS.text) !== 0 ? TYPE_BITS.text : textBit(value);
  if (typeof value === 'boolean') return TYPE_BITS.boolean;
  if (value instanceof ExactNumber) return TYPE_BITS.exact;
  if (typeof value === 'bigint') return fitsInt64(value) ? TYPE_BITS.big_integer : TYPE_BITS.exact;
  return Number.isSafeInteger(value) ? TYPE_BITS.integer : TYPE_BITS.decimal;
}

// Dates stay the text that they are; that a column holds nothing else is worth knowing.
function textBit(text: string): number {
  if (text.length < 10 || text.length > 35) return TYPE_BITS.text;
  const isTime = text.length > 10;
  if (!(isTime ? ISO_DATETIME : ISO_DATE).test(text) || !isCalendarDay(text)) return TYPE_BITS.text;
  return isTime ? TYPE_BITS.datetime : TYPE_BITS.date;
}

/** 31 February is no date. */
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
