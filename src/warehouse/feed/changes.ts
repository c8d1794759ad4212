import type { Database, Statement } from 'better-sqlite3';
import type { Cell } from '../export/rowset.ts';
import { type FeedPart, type FeedTable, keyOf, openRows, PARTS, type Reader } from './feed_tables.ts';
import { ADDED } from './versions.ts';

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
  const reader = new EventReader(db, applied.wholeAt);
  const events = db.prepare<[{ after: number }], Event>(EVENTS);
  // The first company can be the one that was applied last, because a page can end between two of its rows.
  for (const event of events.iterate({ after: applied.version }))
    for (const change of reader.changesOf(event)) if (change.version > applied.version) yield change;
}

/** What happened at a version. One event can have several changes, with consecutive versions. */
type Event =
  | CompanyEvent
  | RowEvent
  | { readonly kind: 'forgotten'; readonly version: number; readonly key: string };

/**
 * A record (or summary) was written with its lists, or only its times changed because it was fetched (or listed) again
 * or its company is newly gone.
 */
interface CompanyEvent {
  readonly kind: 'written' | 'touched';
  readonly version: number;
  readonly part: FeedPart;
  readonly key: string;
  /** The version at which the record (or summary) was first stored. */
  readonly added: number;
  /** The version of the company's last event, which is also the version of its row in `entity_overview`. */
  readonly newest: number;
  readonly overviewAdded: number | null;
}

interface RowEvent {
  readonly kind: 'inserted' | 'deleted';
  readonly version: number;
  readonly table: string;
  readonly key: string;
  readonly position: number;
}

const VERSIONS = ['record_version', 'record_touched', 'summary_version', 'summary_touched'];

/** Each part of this query reads an index in the order of the versions. SQLite merges the parts without sorting them. */
const EVENTS = `${(['record', 'summary'] as const)
  .flatMap((part) => [companyEvents(part, 'written'), companyEvents(part, 'touched')])
  .join('\nUNION ALL ')}
UNION ALL SELECT change_id, 'inserted', NULL, 'entity_change', CAST(change_id AS TEXT), 0, NULL, NULL, NULL
  FROM entity_change WHERE change_id > @after
UNION ALL SELECT version, iif(is_deleted, 'deleted', 'inserted'), NULL, table_name, key, position, NULL, NULL, NULL
  FROM _feed_row WHERE version > @after AND (is_deleted OR table_name = 'registry_stats')
UNION ALL SELECT version, 'forgotten', NULL, NULL, entity_id, 0, NULL, NULL, NULL
  FROM _forgotten WHERE version > @after
ORDER BY version`;

function companyEvents(part: FeedPart, kind: 'written' | 'touched'): string {
  const column = kind === 'written' ? `${part}_version` : `${part}_touched`;
  return `SELECT ${column} AS version, '${kind}' AS kind, '${part}' AS part, NULL AS "table", entity_id AS key, 0 AS position,
      coalesce(${part}_added, ${part}_version, 0) AS added, max(${VERSIONS.map((name) => `coalesce(${name}, 0)`).join(', ')}) AS newest,
      ${ADDED} AS overviewAdded
    FROM _company
    WHERE ${column} >= coalesce((SELECT max(${column}) FROM _company WHERE ${column} <= @after), 0)`;
}

/** Reads the changes of one event after another. */
class EventReader {
  readonly #read: Reader;
  readonly #gained: Statement<[string, string, number], number>;
  readonly #wholeAt: number;

  constructor(db: Database, wholeAt: number) {
    this.#read = openRows(db);
    this.#wholeAt = wholeAt;
    this.#gained = db
      .prepare<[string, string, number], number>(
        'SELECT position FROM _feed_row WHERE table_name = ? AND key = ? AND NOT is_deleted AND version > ?',
      )
      .pluck();
  }

  *changesOf(event: Event): Generator<Change> {
    switch (event.kind) {
      case 'written':
      case 'touched':
        return yield* this.#ofCompany(event);
      case 'inserted':
      case 'deleted':
        return yield* this.#ofRow(event);
      case 'forgotten':
        yield { version: event.version, op: 'forget', table: null, key: [event.key], row: null };
    }
  }

  *#ofCompany({
    version,
    kind,
    part,
    key: id,
    added,
    newest,
    overviewAdded,
  }: CompanyEvent): Generator<Change> {
    if (version === newest) {
      const { table, rows } = this.#read.rows('entity_overview', id);
      const op = this.#opOf(overviewAdded ?? newest);
      for (const row of rows) yield { version, op, table, key: [id], row };
    }
    let last = version;
    for (const name of [PARTS[part], ...(kind === 'touched' ? [] : this.#read.lists[part])]) {
      const { table, rows } = this.#read.rows(name, id);
      const inserted = new Set(table.keys.length > 1 ? this.#gained.all(name, id, this.#wholeAt) : []);
      for (const row of rows) {
        const key = keyOf(table, row);
        const op = inserted.has(Number(key[1] ?? -1)) ? 'insert' : this.#opOf(added);
        yield { version: ++last, op, table, key, row };
      }
    }
  }

  *#ofRow({ version, kind, table: name, key: first, position }: RowEvent): Generator<Change> {
    const isNumber = name === 'registry_stats' || name === 'entity_change';
    const value = isNumber ? BigInt(first) : first;
    const { table, rows } = this.#read.rows(name, kind === 'deleted' ? null : value);
    const key = table.keys.length > 1 ? [value, BigInt(position)] : [value];
    if (kind === 'deleted') yield { version, op: 'delete', table, key, row: null };
    else for (const row of rows) yield { version, op: 'insert', table, key, row };
  }

  #opOf(added: number): 'insert' | 'update' {
    return added > this.#wholeAt ? 'insert' : 'update';
  }
}
