import type { Database } from 'better-sqlite3';
import type { Cell } from '../export/rowset.ts';
import { type FeedTable, keyOf, openRows, PARTS, type Part, type Reader } from './feed_tables.ts';

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
  /** The consumer has applied all changes up to this version. */
  readonly version: number;
  /**
   * The version at which the consumer last had the whole feed. Only the rows up to this version are certain to have
   * reached the consumer.
   */
  readonly wholeAt: number;
}

export const NOTHING_APPLIED: Applied = { version: 0, wholeAt: 0 };

/**
 * Reads the changes that a consumer has not applied yet, one by one. The caller must keep a read transaction open until
 * all changes are read.
 */
export function* changesAfter(db: Database, applied: Applied): Generator<Change> {
  const read = openRows(db);
  const streams = [
    ...(['record', 'summary'] as const).flatMap((part) => [
      written(db, read, part, applied),
      touched(db, read, part, applied),
    ]),
    changedFields(db, read, applied.version),
    singleRows(db, read, applied.version),
    forgotten(db, applied.version),
  ].map((stream) => ({ stream, next: stream.next() }));
  try {
    for (;;) {
      const open = streams.filter(({ next }) => !next.done);
      if (open.length === 0) return;
      const first = open.reduce((least, one) => (versionOf(one.next) < versionOf(least.next) ? one : least));
      yield first.next.value as Change;
      first.next = first.stream.next();
    }
  } finally {
    for (const { stream } of streams) stream.return(undefined);
  }
}

function versionOf({ value }: IteratorResult<Change>): number {
  return (value as Change).version;
}

interface VersionsOfCompany {
  readonly entityId: string;
  readonly added: number;
  readonly version: number;
  readonly newest: number;
  readonly overviewAdded: number | null;
}

/** Reads the records (or summaries) that were written with their lists. */
function* written(db: Database, read: Reader, part: Part, applied: Applied): Generator<Change> {
  const gained = db
    .prepare<[string, string, number], number>(
      'SELECT position FROM _feed_row WHERE table_name = ? AND key = ? AND NOT is_deleted AND version > ?',
    )
    .pluck();
  for (const company of companies(db, part, 'version', applied.version)) {
    const { entityId, added } = company;
    let { version } = company;
    yield* overview(read, company, applied);
    for (const name of [PARTS[part], ...read.lists[part]]) {
      const { table, rows } = read.rows(name, entityId);
      const isNew = added > applied.wholeAt;
      const inserted =
        isNew || rows.length === 0 ? null : new Set(gained.all(name, entityId, applied.wholeAt));
      for (const row of rows) {
        version += 1;
        if (version <= applied.version) continue;
        const key = keyOf(table, row);
        const isInsert = inserted === null || inserted.has(Number(key[1] ?? -1));
        yield { version, op: isInsert ? 'insert' : 'update', table, key, row };
      }
    }
  }
}

/**
 * Reads the records (or summaries) that were fetched (or listed) again without a change, and the newly gone companies.
 */
function* touched(db: Database, read: Reader, part: Part, applied: Applied): Generator<Change> {
  for (const company of companies(db, part, 'touched', applied.version)) {
    const { entityId, added } = company;
    yield* overview(read, company, applied);
    const version = company.version + 1;
    const op = opOf(added, applied);
    const { table, rows } = read.rows(PARTS[part], entityId);
    for (const row of rows) if (version > applied.version) yield { version, op, table, key: [entityId], row };
  }
}

/**
 * Reads the companies with versions after `after`. The first of them can be the company that was applied last, because
 * a page can end between two rows of the same company.
 */
function companies(
  db: Database,
  part: Part,
  kind: 'version' | 'touched',
  after: number,
): IterableIterator<VersionsOfCompany> {
  const column = `${part}_${kind}`;
  const versions = ['record_version', 'record_touched', 'summary_version', 'summary_touched'];
  return db
    .prepare<[{ after: number }], VersionsOfCompany>(
      `SELECT entity_id AS entityId, coalesce(${part}_added, 0) AS added, ${column} AS version,
              max(${versions.map((name) => `coalesce(${name}, 0)`).join(', ')}) AS newest,
              min(coalesce(record_added, summary_added), coalesce(summary_added, record_added)) AS overviewAdded
       FROM _company
       WHERE ${column} >= coalesce((SELECT max(${column}) FROM _company WHERE ${column} <= @after), 0)
       ORDER BY ${column}`,
    )
    .iterate({ after });
}

/** Reads the row in `entity_overview`, which has the newest version among its company's rows. */
function* overview(read: Reader, company: VersionsOfCompany, applied: Applied): Generator<Change> {
  const { entityId, version, newest, overviewAdded } = company;
  if (version !== newest || version <= applied.version) return;
  const { table, rows } = read.rows('entity_overview', entityId);
  const op = opOf(overviewAdded ?? newest, applied);
  for (const row of rows) yield { version, op, table, key: [entityId], row };
}

function opOf(added: number, { wholeAt }: Applied): 'insert' | 'update' {
  return added > wholeAt ? 'insert' : 'update';
}

function* changedFields(db: Database, read: Reader, after: number): Generator<Change> {
  const { table } = read.rows('entity_change', null);
  const rows = db
    .prepare<[number], Cell[]>('SELECT * FROM entity_change WHERE change_id > ? ORDER BY change_id')
    .raw()
    .safeIntegers();
  for (const row of rows.iterate(after)) {
    const key = keyOf(table, row);
    yield { version: Number(key[0]), op: 'insert', table, key, row };
  }
}

interface SingleRow {
  readonly table: string;
  readonly key: string;
  readonly position: number;
  readonly version: number;
  readonly isDeleted: 0 | 1;
}

/** Reads the deleted rows and the statistics. */
function* singleRows(db: Database, read: Reader, after: number): Generator<Change> {
  const changed = db.prepare<[number], SingleRow>(
    `SELECT table_name AS "table", key, position, version, is_deleted AS isDeleted FROM _feed_row
     WHERE version > ? AND (is_deleted OR table_name = 'registry_stats') ORDER BY version`,
  );
  for (const { table: name, key: first, position, version, isDeleted } of changed.iterate(after)) {
    const isNumber = name === 'registry_stats' || name === 'entity_change';
    const value = isNumber ? BigInt(first) : first;
    const { table, rows } = read.rows(name, isDeleted ? null : value);
    const key = table.keys.length > 1 ? [value, BigInt(position)] : [value];
    if (isDeleted) yield { version, op: 'delete', table, key, row: null };
    else for (const row of rows) yield { version, op: 'insert', table, key, row };
  }
}

function* forgotten(db: Database, after: number): Generator<Change> {
  const select = db.prepare<[number], { entityId: string; version: number }>(
    'SELECT entity_id AS entityId, version FROM _forgotten WHERE version > ? ORDER BY version',
  );
  for (const { entityId, version } of select.iterate(after))
    yield { version, op: 'forget', table: null, key: [entityId], row: null };
}
