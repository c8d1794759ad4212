import type { ColumnRule, Mapping } from '../dialect/mapping.ts';
import type { RowOf } from './table.ts';
import type { PAYLOAD_COLUMN } from './tables.ts';
import type { TextRole } from './text_role.ts';

/**
 * The inferred schema in memory, which is a tree of the paths seen in payloads. A path can have a column, a child table
 * for its lists, and paths below it. `schema_store.ts` stores the schema in `_column` and `_table`.
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

interface SeenAt {
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
const DEFAULT_LIMITS: Omit<SchemaLimits, 'columns'> = {
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
  /** Increases when the table in the warehouse gets a column or a wider type. */
  version: number;
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
  /** The path's row in `_column`; null if there is none. */
  saved: RowOf<typeof PAYLOAD_COLUMN> | null;
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

export interface SchemaOptions extends Pick<InferredSchema, 'mapping' | 'reserved'> {
  /** Replaces some of the limits. The mapping has the limit on columns. */
  readonly limits?: Partial<SchemaLimits> | undefined;
}

export function emptySchema({ mapping, reserved, limits }: SchemaOptions): InferredSchema {
  return {
    tables: new Map(),
    touched: new Set(),
    isAhead: false,
    pathCount: 0,
    at: { sentAt: '', callId: 0 },
    limits: { ...DEFAULT_LIMITS, columns: mapping.max_columns, ...limits },
    mapping,
    reserved,
  };
}
