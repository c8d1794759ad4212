import type { Database } from 'better-sqlite3';
import type { ColumnRule, Mapping } from '../dialect/mapping.ts';
import { pointerOf, segmentsOf } from '../json/pointer.ts';
import { childTableName, columnName, keysBelowContainers } from './column_name.ts';
import { type TextRole, textRole } from './payload_role.ts';
import { addPayloadColumn, createPayloadTable, hasRestColumn, redeclare } from './payload_table.ts';
import type { RowOf } from './table.ts';
import { PAYLOAD_COLUMN, PAYLOAD_TABLE } from './tables.ts';
import { declaredType, typeBits, typeNames } from './value_types.ts';

/** The tables for the three resources. Lists in their payloads are stored in child tables. */
export const RESOURCE_TABLES = ['entity', 'search_result', 'registry_stats'] as const;
export type ResourceTable = (typeof RESOURCE_TABLES)[number];

type ColumnRow = { -readonly [K in keyof RowOf<typeof PAYLOAD_COLUMN>]: RowOf<typeof PAYLOAD_COLUMN>[K] };
type TableRow = { -readonly [K in keyof RowOf<typeof PAYLOAD_TABLE>]: RowOf<typeof PAYLOAD_TABLE>[K] };

/** A payload table, with its row in `_table`. */
export interface InferredTable extends TableRow {
  readonly parent: InferredTable | null;
  readonly resource: ResourceTable;
  /** The keys from the payload's root to the list elements, with `*` for the elements of each list on the path. */
  readonly keysFromTop: readonly string[];
  readonly listDepth: number;
  root: SchemaPath;
  readonly paths: SchemaPath[];
  /** The paths that have a column, in the same order as the values in a row. */
  readonly columns: SchemaPath[];
  readonly taken: Set<string>;
  hasRest: boolean;
  /** Increases when the table in the warehouse gets a column or a wider type. */
  version: number;
}

/**
 * A path seen in payloads, with its row in `_column`. A path can have a column, a child table for its lists, and paths
 * below it.
 */
export interface SchemaPath extends ColumnRow {
  readonly table: InferredTable;
  readonly keys: readonly string[];
  /** The rule that the mapping specifies for this path; null if there is none. */
  readonly rule: ColumnRule | null;
  readonly role: TextRole;
  members: Map<string, SchemaPath> | null;
  list: InferredTable | null;
  /** The value's position in a row; -1 if the path has no column. */
  index: number;
  /** The value types seen, as a bit set of `TYPE_BITS`. */
  bits: number;
  /** The path's row in `_column`; null if there is none. */
  saved: ColumnRow | null;
}

/** A name that was chosen earlier for a path, or for the table of the list at this path. */
export interface DecidedName {
  readonly table: string;
  readonly path: string;
  readonly name: string;
  readonly isTable: boolean;
}

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

interface SchemaOptions {
  readonly mapping: Mapping;
  /** Replaces some of the limits. The mapping has the limit on columns. */
  readonly limits?: Partial<SchemaLimits> | undefined;
  /** Names for paths and lists that have not been seen yet. */
  readonly decided?: readonly DecidedName[];
  /** The file whose tables are altered. By default, the schema grows only in memory. */
  readonly altered?: Database;
}

/**
 * The inferred schema in memory, which is a tree of the paths seen in payloads. `restore` and `schemaWriter` read and
 * write `_column` and `_table`.
 */
export class InferredSchema {
  readonly tables = new Map<string, InferredTable>();
  readonly roots: Readonly<Record<ResourceTable, InferredTable>>;
  /** Tables with columns, types or counts that are not stored yet. */
  readonly touched = new Set<InferredTable>();
  /** The response that is being processed. New paths and types are recorded with its call id and date. */
  at: { readonly sentAt: string; readonly callId: number } = { sentAt: '', callId: 0 };
  readonly #mapping: Mapping;
  readonly #limits: SchemaLimits;
  readonly #decided: readonly DecidedName[];
  readonly #altered: Database | null;
  #pathCount = 0;

  constructor({ mapping, limits, decided = [], altered }: SchemaOptions) {
    this.#mapping = mapping;
    this.#limits = { ...DEFAULT_LIMITS, columns: mapping.max_columns, ...limits };
    this.#decided = decided;
    this.#altered = altered ?? null;
    const [entity, search_result, registry_stats] = RESOURCE_TABLES.map((one) =>
      this.#addTable(one, null, ''),
    );
    this.roots = { entity, search_result, registry_stats } as InferredSchema['roots'];
  }

  /** Reads the schema from the warehouse. */
  restore(db: Database): void {
    // Sorting by name length puts parents first, because a child table's name starts with its parent's name.
    for (const row of PAYLOAD_TABLE.select<[]>(db, 'ORDER BY length(table_name)').all()) {
      const parent = this.tables.get(row.parentTable ?? '') ?? null;
      const table = this.tables.get(row.name) ?? this.#addTable(row.name, parent, row.path);
      Object.assign(table, row);
      // The list element's own path is not stored until the element has a scalar value or changes.
      Object.assign(table.root, { firstSeenAt: row.firstSeenAt, changedAt: row.firstSeenAt });
    }
    for (const row of PAYLOAD_COLUMN.select<[]>(db).all()) {
      const table = this.tables.get(row.tableName);
      if (table === undefined) continue;
      const path = segmentsOf(row.path).reduce(
        (parent, key) => parent.members?.get(key) ?? this.#addMember(parent, key),
        table.root,
      );
      const list = this.tables.get(row.childTable ?? '') ?? null;
      Object.assign(path, row, { bits: typeBits(row.types), list, saved: row });
      if (row.column !== null) setColumn(path, row.column);
    }
    for (const table of this.tables.values()) table.hasRest = hasRestColumn(db, table.name);
  }

  /**
   * Returns the path for `key` below `parent`, adding it if it is new. Returns null if one of the schema's limits is
   * reached or the key cannot be stored.
   */
  memberOf(parent: SchemaPath, key: string): SchemaPath | null {
    const known = parent.members?.get(key);
    if (known !== undefined) return known;
    if (this.#isFull(parent.table) || this.#pathCount >= this.#limits.paths) return null;
    if (parent.keys.length >= this.#limits.depth || !isStorable(parent, key)) return null;
    return this.#addMember(parent, key);
  }

  /** Adds a column for the path and a first value of type `bit`. Returns false if the table is full. */
  giveColumn(path: SchemaPath, bit: number): boolean {
    const { table, rule } = path;
    if (this.#isFull(table)) return false;
    this.sawType(path, bit);
    const name = this.#nameFor(path);
    setColumn(path, name);
    path.type = declaredType(path.bits);
    if (this.#altered !== null) addPayloadColumn(this.#altered, table.name, { name, type: path.type }, rule);
    table.version++;
    return true;
  }

  /**
   * Returns the child table for the lists at this path, adding it if it is new. Returns null if one of the schema's
   * limits is reached.
   */
  listOf(path: SchemaPath): InferredTable | null {
    const { table: parent } = path;
    if (path.list !== null) return path.list;
    if (parent.listDepth >= this.#limits.listDepth || this.tables.size > this.#limits.childTables)
      return null;
    const decided = this.#decided.filter(({ isTable }) => isTable);
    const name =
      decided.find(({ table, path: at }) => table === parent.name && at === path.path)?.name ??
      childTableName(
        parent.name,
        path.keys,
        new Set([...this.tables.keys(), ...decided.map((one) => one.name)]),
        shortKeys(path),
      );
    path.list = this.#addTable(name, parent, path.path);
    path.childTable = name;
    if (this.#altered !== null) createPayloadTable(this.#altered, name, path.list.listDepth > 1);
    return path.list;
  }

  /** Records that a value of type `bit` was seen at the path. */
  sawType(path: SchemaPath, bit: number): void {
    if ((path.bits | bit) === path.bits) return;
    path.bits |= bit;
    path.types = typeNames(path.bits);
    path.changedAt = this.at.sentAt;
    const type = declaredType(path.bits);
    if (path.column === null || type === path.type) return;
    path.type = type;
    if (this.#altered !== null) redeclare(this.#altered, path.table.name, { name: path.column, type });
    path.table.version++;
  }

  /** Records that the table needs the column `_rest` for values without a column of their own. */
  needRest(table: InferredTable): void {
    if (table.hasRest) return;
    table.hasRest = true;
    if (this.#altered !== null) addPayloadColumn(this.#altered, table.name, { name: '_rest', type: 'TEXT' });
    table.version++;
  }

  #addTable(name: string, parent: InferredTable | null, path: string): InferredTable {
    const decided = this.#decided.filter(({ table, isTable }) => table === name && !isTable);
    const table = {
      name,
      parentTable: parent?.name ?? null,
      path,
      rowsSeen: 0,
      compared: 0,
      firstSeenAt: this.at.sentAt,
      parent,
      resource: parent?.resource ?? (name as ResourceTable),
      keysFromTop: parent === null ? [] : [...parent.keysFromTop, ...segmentsOf(path), '*'],
      listDepth: parent === null ? 0 : parent.listDepth + 1,
      paths: [],
      columns: [],
      taken: new Set(decided.map((one) => one.name)),
      hasRest: false,
      version: 0,
    } satisfies Omit<InferredTable, 'root'> as unknown as InferredTable;
    // A table and its root refer to each other.
    table.root = this.#addPath(table, []);
    this.tables.set(name, table);
    return table;
  }

  #addMember(parent: SchemaPath, key: string): SchemaPath {
    const added = this.#addPath(parent.table, [...parent.keys, key]);
    parent.members ??= new Map();
    parent.members.set(key, added);
    return added;
  }

  #addPath(table: InferredTable, keys: readonly string[]): SchemaPath {
    const { sentAt, callId } = this.at;
    const keysFromTop = [...table.keysFromTop, ...keys];
    const rules = this.#mapping[table.resource];
    const pointer = pointerOf(keysFromTop);
    const path: SchemaPath = {
      tableName: table.name,
      path: pointerOf(keys),
      column: null,
      childTable: null,
      type: '',
      types: '',
      present: 0,
      nulls: 0,
      changes: 0,
      firstSeenAt: sentAt,
      changedAt: sentAt,
      callId,
      table,
      keys,
      rule: Object.hasOwn(rules, pointer) ? (rules[pointer] ?? null) : null,
      role: table.resource === 'registry_stats' ? null : textRole(keysFromTop, this.#mapping),
      members: null,
      list: null,
      index: -1,
      bits: 0,
      saved: null,
    };
    table.paths.push(path);
    this.#pathCount++;
    return path;
  }

  #nameFor(path: SchemaPath): string {
    const { table, keys, rule } = path;
    if (keys.length === 0) return 'value';
    const decided = this.#decided.find(
      (one) => !one.isTable && one.table === table.name && one.path === path.path,
    );
    if (decided !== undefined) return decided.name;
    return rule?.column === undefined
      ? columnName(keys, table.taken, shortKeys(path))
      : columnName([rule.column], table.taken);
  }

  #isFull(table: InferredTable): boolean {
    const { columns } = this.#limits;
    return table.columns.length >= columns || table.paths.length >= 4 * columns;
  }
}

function setColumn(path: SchemaPath, column: string): void {
  path.column = column;
  path.index = path.table.columns.length;
  path.table.columns.push(path);
  path.table.taken.add(column);
}

/** List elements keep all keys, because a container in a list is often a related company. */
function shortKeys({ table, keys }: SchemaPath): readonly string[] {
  return table.parent === null ? keysBelowContainers(table.root, keys) : keys;
}

// Only keys that SQLite stores unchanged are accepted.
function isStorable({ path }: SchemaPath, key: string): boolean {
  return path.length + key.length <= MAX_PATH_LENGTH && key.isWellFormed();
}

const MAX_PATH_LENGTH = 1_000;

/**
 * Returns a function that writes the inferred schema's changed names, types and counts to `_table` and `_column`. The
 * function returns true if it wrote a new column, list or type.
 */
export function schemaWriter(db: Database): (schema: InferredSchema) => boolean {
  const saveTable = PAYLOAD_TABLE.insert(db, { onConflict: 'update' });
  const saveColumn = PAYLOAD_COLUMN.insert(db, { onConflict: 'update' });
  return ({ touched }) => {
    let isNew = false;
    for (const table of touched) {
      saveTable(table);
      for (const path of table.paths) {
        const { saved, bits, present, nulls, changes } = path;
        const isSeen = bits !== 0 || present + nulls + changes > 0;
        if (!isSeen || (saved !== null && PAYLOAD_COLUMN.properties.every((one) => saved[one] === path[one])))
          continue;
        saveColumn(path);
        path.saved = { ...path };
        isNew ||= saved === null || SHOWN_BY_VIEWS.some((one) => saved[one] !== path[one]);
      }
    }
    touched.clear();
    return isNew;
  };
}

const SHOWN_BY_VIEWS = ['column', 'childTable', 'types'] as const;

/** Returns the JSON Pointer from the payload's root. `*` represents the elements of a list. */
export function pointerFromTop({ table, keys }: SchemaPath): string {
  return pointerOf([...table.keysFromTop, ...keys]);
}
