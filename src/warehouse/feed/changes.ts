import type { Database, Statement } from 'better-sqlite3';
import { quoted } from '../../sqlite/statements.ts';
import {
  analystTables,
  type Cell,
  columnsOf,
  type ExportColumn,
  requireExportable,
} from '../export/rowset.ts';
import { VERSIONS } from '../known.ts';
import { publishedTable } from '../published_tables.ts';
import { COMPANY, type Known } from '../tables.ts';
import { ADDED, NEWEST } from './versions.ts';

/**
 * One change in the change feed. The feed after a version lists every row in a public table that has been written or
 * deleted since. Each row appears in its current state, in version order. A consumer that applies the changes by key in
 * this order gets identical tables.
 */
export interface Change {
  readonly version: number;
  /** `insert` and `update` include the whole row. `forget` deletes all of a company's rows from every table. */
  readonly op: 'insert' | 'update' | 'delete' | 'forget';
  /** Null for `forget`, which affects every table. */
  readonly table: FeedTable | null;
  readonly key: readonly Cell[];
  /** The cells in column order; null for `delete` and `forget`. */
  readonly row: readonly Cell[] | null;
}

/** Returns the cells for a change that has no row. Only the key columns have values. */
export function keyCells({ columns, keys }: FeedTable, { op, key }: Change): Cell[] {
  const names = op === 'forget' ? ['entity_id'] : keys;
  return columns.map(({ name }) => key[names.indexOf(name)] ?? null);
}

/** How far a consumer has applied the change feed. */
export interface Applied {
  /** The consumer has applied all changes up to this one. */
  readonly version: number;
  /**
   * The stored version at which the consumer last had the whole feed. Only the rows up to this version are certain to
   * have reached the consumer.
   */
  readonly wholeAt: number;
}

export const NOTHING_APPLIED: Applied = { version: 0, wholeAt: 0 };

/** Returns what a consumer has applied that has the whole feed up to a stored version. */
export function wholeFeedAt(version: number): Applied {
  return { version: (version + 1) * MOST_ROWS - 1, wholeAt: version };
}

/**
 * The most rows that share a stored version: the overview, a record and a summary with their lists. A response's lists
 * have at most 100,000 rows. A row's version in the feed is the stored version times this number, plus the row's place.
 */
export const MOST_ROWS = 2 ** 18;

/**
 * Reads the changes that a consumer has not applied yet, one by one. The caller must keep a read transaction open until
 * all changes are read.
 */
export function* changesAfter(db: Database, applied: Applied): Generator<Change> {
  const reader = new EventReader(db, applied.wholeAt);
  const events = db.prepare<[{ from: number }], Event>(EVENTS);
  // A page can end between two rows of a company.
  const from = Math.floor((applied.version + 1) / MOST_ROWS);
  for (const event of events.iterate({ from })) {
    let version = event.version * MOST_ROWS;
    for (const change of reader.changesOf(event)) {
      if (version > applied.version) yield { ...change, version };
      version += 1;
    }
  }
}

/** A stored version, at which a company's rows or another row were written, or a row was deleted. */
interface Event {
  readonly version: number;
  /** `entity_overview` for a company; null if it was forgotten. */
  readonly table: string | null;
  readonly key: string;
  readonly position: number;
  readonly isDeleted: 0 | 1;
}

/** Each part of this query reads an index in the order of the versions. SQLite merges the parts without sorting them. */
const EVENTS = `
SELECT ${NEWEST} AS version, 'entity_overview' AS "table", entity_id AS key, 0 AS position, 0 AS isDeleted
  FROM _company WHERE ${NEWEST} >= @from
UNION ALL SELECT change_id, 'entity_change', CAST(change_id AS TEXT), 0, 0
  FROM entity_change WHERE change_id >= @from
UNION ALL SELECT version, table_name, key, position, is_deleted
  FROM _feed_row WHERE version >= @from AND (is_deleted OR table_name = 'registry_stats')
UNION ALL SELECT version, NULL, entity_id, 0, 0
  FROM _forgotten WHERE version >= @from
ORDER BY version`;

type EventChange = Omit<Change, 'version'>;

/** A table of the change feed, and the statement for its current rows by the first key column. */
interface OpenTable {
  readonly table: FeedTable;
  readonly select: Statement<[Cell], Cell[]> | null;
}

/** Reads the changes of one event after another. */
class EventReader {
  readonly #db: Database;
  readonly #wholeAt: number;
  readonly #versions: Statement<[string], Versions>;
  /** The names of all tables in the change feed. */
  readonly #names: readonly string[];
  readonly #opened = new Map<string, OpenTable>();

  constructor(db: Database, wholeAt: number) {
    this.#db = db;
    this.#wholeAt = wholeAt;
    this.#names = analystTables(db);
    this.#versions = db.prepare(
      `SELECT ${COMPANY.selected(undefined, VERSION_PROPERTIES)}, coalesce(${ADDED}, ${NEWEST}) AS added
       FROM _company WHERE entity_id = ?`,
    );
  }

  *changesOf({ table, key, position, isDeleted }: Event): Generator<EventChange> {
    if (table === null) yield { op: 'forget', table: null, key: [key], row: null };
    else if (table === 'entity_overview' && !isDeleted) yield* this.#ofCompany(key);
    else {
      const isNumber = table === 'registry_stats' || table === 'entity_change';
      const first = isNumber ? BigInt(key) : key;
      if (isDeleted) yield* this.#ofDeleted(table, first, BigInt(position));
      else yield* this.#written(table, first, 'insert');
    }
  }

  /** The overview changes with each row. A list's rows can be new to the consumer whenever they are written. */
  *#ofCompany(id: string): Generator<EventChange> {
    const company = this.#versions.get(id) as Versions;
    yield* this.#written('entity_overview', id, this.#opOf(company.added));
    for (const { table, added, version, touched } of VERSIONS) {
      const writtenAt = company[version] ?? 0;
      if (Math.max(writtenAt, company[touched] ?? 0) <= this.#wholeAt) continue;
      yield* this.#written(table, id, this.#opOf(company[added] ?? writtenAt));
      if (writtenAt <= this.#wholeAt) continue;
      for (const list of this.#names.filter((name) => name.startsWith(`${table}__`)))
        yield* this.#written(list, id, 'insert');
    }
  }

  *#written(name: string, first: Cell, op: 'insert' | 'update'): Generator<EventChange> {
    const { table, select } = this.#open(name);
    for (const row of select?.all(first) ?? []) yield { op, table, key: keyOf(table, row), row };
  }

  /** A list's row can exist again. It is then a row of its company. */
  *#ofDeleted(name: string, first: Cell, position: bigint): Generator<EventChange> {
    const { table, select } = this.#open(name);
    const key = table.keys.length > 1 ? [first, position] : [first];
    const exists = select?.all(first).some((row) => keyOf(table, row).join() === key.join());
    if (!exists) yield { op: 'delete', table, key, row: null };
  }

  #open(name: string): OpenTable {
    const opened = this.#opened.get(name) ?? this.#prepare(name);
    this.#opened.set(name, opened);
    return opened;
  }

  #prepare(name: string): OpenTable {
    const keys = publishedTable(name)?.key ?? [];
    // Only its deleted rows remain of a table that a rebuild dropped.
    if (!this.#names.includes(name)) {
      const columns = keys.map(
        (key) => ({ name: key, kind: key === 'position' ? 'integer' : 'text' }) as const,
      );
      return { table: { name, keys, columns }, select: null };
    }
    const order = keys.length > 1 ? 'ORDER BY position' : '';
    const select = `SELECT * FROM ${quoted(name)} WHERE ${keys[0]} = ? ${order}`;
    const table = { name, keys, columns: columnsOf(this.#db, name) };
    return { table, select: this.#db.prepare<[Cell], Cell[]>(select).raw().safeIntegers() };
  }

  #opOf(added: number): 'insert' | 'update' {
    return added > this.#wholeAt ? 'insert' : 'update';
  }
}

const VERSION_PROPERTIES = VERSIONS.flatMap(({ added, version, touched }) => [added, version, touched]);
type Versions = Pick<Known, (typeof VERSION_PROPERTIES)[number]> & { readonly added: number };

function keyOf({ columns, keys }: FeedTable, row: readonly Cell[]): Cell[] {
  return keys.map((key) => row[columns.findIndex(({ name }) => name === key)] ?? null);
}

export interface FeedTable {
  readonly name: string;
  readonly columns: readonly ExportColumn[];
  /** The names of the key columns. */
  readonly keys: readonly string[];
}

/**
 * Returns the tables in the change feed, in export order. Tables that no longer exist are excluded, although the feed
 * still reports their deleted rows.
 */
export function feedTables(db: Database): FeedTable[] {
  return analystTables(db).map((name) => ({
    name,
    columns: columnsOf(db, name),
    keys: publishedTable(name)?.key ?? [],
  }));
}

/** @throws UsageError if the change feed has no such table, or had none before a rebuild dropped it. */
export function requireFeedTables(db: Database, tables: readonly string[]): void {
  const known = analystTables(db);
  const wasDropped = db.prepare('SELECT 1 FROM _feed_row WHERE table_name = ? AND is_deleted LIMIT 1');
  for (const table of tables)
    if (!known.includes(table) && wasDropped.get(table) === undefined) requireExportable(table, known);
}

/** Returns whether `forget` deletes rows from the table. */
export function isOfCompanies({ columns }: FeedTable): boolean {
  return columns.some(({ name }) => name === 'entity_id');
}
