import type { Database } from 'better-sqlite3';
import type { FeedVersions } from './feed/versions.ts';

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

/** Reads and writes `entity_change`, which has one row per changed field. A row's id is its version in the change feed. */
export function changeTable(db: Database, feed: FeedVersions) {
  const insert = db.prepare<[ChangeRow & { changeId: number }]>(
    `INSERT INTO entity_change (change_id, entity_id, observed_at, not_before, path, column_name, before, after, _call_id)
     VALUES (@changeId, @entityId, @observedAt, @notBefore, @path, @columnName, @before, @after, @callId)`,
  );
  return {
    add: (row: ChangeRow): void => {
      insert.run({ ...row, changeId: feed.take(1) });
    },
  };
}
