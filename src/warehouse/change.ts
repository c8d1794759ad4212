import type { Database } from 'better-sqlite3';
import type { FeedVersions } from './feed/versions.ts';
import type { RowOf } from './table.ts';
import { CHANGE } from './tables.ts';

export type ChangeRow = Omit<RowOf<typeof CHANGE>, 'changeId'>;

/** Reads and writes `entity_change`, which has one row per changed field. A row's id is its version in the change feed. */
export function changeTable(db: Database, feed: FeedVersions) {
  const insert = CHANGE.insert(db);
  return {
    add: (row: ChangeRow): void => {
      insert({ ...row, changeId: feed.take(1) });
    },
  };
}
