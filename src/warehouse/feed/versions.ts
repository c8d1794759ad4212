import type { Database } from 'better-sqlite3';
import { metaTable } from '../meta.ts';

/** The change feed's versions, which form one sequence across all public tables. */
export interface FeedVersions {
  /** Takes `count` consecutive versions and returns the first one. */
  take(count: number): number;
  /** Records that a known record's list has gained or lost rows. `version` is the record's version. */
  resized(table: string, key: string, rows: { before: number; after: number }, version: number): void;
  /** Records that a row was deleted. */
  removed(table: string, key: string): void;
  /** Records a new row of registry statistics. */
  observed(callId: number): void;
  /** Stores the last version taken. Call this function in the transaction that writes the rows. */
  save(): void;
}

export function feedVersions(db: Database): FeedVersions {
  const meta = metaTable(db);
  const saveRow = db.prepare<[string, string, number, number, 0 | 1]>(
    `INSERT INTO _feed_row (table_name, key, position, version, is_deleted) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (table_name, key, position) DO UPDATE SET version = excluded.version, is_deleted = excluded.is_deleted`,
  );
  let hasSession = false;
  /** The last version taken in this transaction; null if none has been taken. */
  let last: number | null = null;

  const take = (count: number): number => {
    last ??= lastVersion(db);
    const first = last + 1;
    if (!hasSession) startSession(db, first);
    hasSession = true;
    last += count;
    return first;
  };
  return {
    take,
    resized(table, key, { before, after }, version) {
      for (let position = before; position < after; position++) saveRow.run(table, key, position, version, 0);
      for (let position = after; position < before; position++) saveRow.run(table, key, position, take(1), 1);
    },
    removed(table, key) {
      saveRow.run(table, key, 0, take(1), 1);
    },
    observed(callId) {
      saveRow.run('registry_stats', String(callId), 0, take(1), 0);
    },
    save() {
      if (last !== null) meta.set('feed_version', String(last));
      last = null;
    },
  };
}

/** Returns the last version in the sequence, or 0 if no row has a version. */
export function lastVersion(db: Database): number {
  return Number(metaTable(db).get('feed_version') ?? '0');
}

/** Starts a session with a new random name. `first` is the first version that belongs to this session. */
function startSession(db: Database, first: number): void {
  db.prepare(
    'INSERT OR REPLACE INTO _feed_session (first_version, name) VALUES (?, lower(hex(randomblob(6))))',
  ).run(first);
}
