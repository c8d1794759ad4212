import type { Database } from 'better-sqlite3';
import type { FeedVersions } from './feed/versions.ts';
import { live, type Naming } from './table_naming.ts';

export interface ChangeRow {
  readonly entityId: string;
  readonly observedAt: string;
  /** The time of the previous fetch, after which the change happened; null if it is unknown. */
  readonly notBefore: string | null;
  /** The field's JSON Pointer in the record, or `_gone_at` if the company disappeared or returned. */
  readonly path: string;
  /**
   * The field's column. For a field in a list, the table comes first (`entity__officers.name`). Null if a whole object
   * or list element changed.
   */
  readonly columnName: string | null;
  readonly before: null | number | bigint | string;
  readonly after: null | number | bigint | string;
  readonly callId: number;
}

/**
 * Reads and writes `entity_change`, which has one row per changed field. A row's id is its version in the change feed.
 * A change that a rebuild finds again keeps its id.
 */
export function changeTable(db: Database, naming: Naming, feed: FeedVersions) {
  const before = naming === live ? null : storedChange(db, naming);
  const insert = db.prepare<[ChangeRow & { changeId: number | null }]>(
    `INSERT INTO ${naming('entity_change')} (change_id, entity_id, observed_at, not_before, path, column_name, before, after, _call_id)
     VALUES (@changeId, @entityId, @observedAt, @notBefore, @path, @columnName, @before, @after, @callId)`,
  );
  return {
    add: (row: ChangeRow): void => {
      insert.run({ ...row, changeId: before === null ? feed.take(1) : (before(row) ?? null) });
    },
  };
}

/**
 * Returns a function that finds a change's id in the live table. A change that is not in the live table gets a
 * provisional id, which is larger than every version.
 */
function storedChange(db: Database, naming: Naming): (row: ChangeRow) => number | undefined {
  const shadow = naming('entity_change');
  const find = db
    .prepare<[ChangeRow], number>(
      `SELECT coalesce(
         (SELECT o.change_id FROM entity_change o
          WHERE o._call_id = @callId AND o.entity_id = @entityId AND o.path = @path AND o.observed_at = @observedAt
            AND o.not_before IS @notBefore AND o.column_name IS @columnName AND o.before IS @before AND o.after IS @after
            AND NOT EXISTS (SELECT 1 FROM ${shadow} n WHERE n.change_id = o.change_id)
          ORDER BY o.change_id LIMIT 1),
         (SELECT max(${FIRST_PROVISIONAL_ID}, max(change_id) + 1) FROM ${shadow}),
         ${FIRST_PROVISIONAL_ID})`,
    )
    .pluck();
  return (row) => find.get(row);
}

/** The first provisional id. It is larger than every version in the change feed and smaller than 2^53. */
export const FIRST_PROVISIONAL_ID = 2 ** 52;
