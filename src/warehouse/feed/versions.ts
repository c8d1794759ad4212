import type { Database } from 'better-sqlite3';
import { run } from '../../sqlite/statements.ts';
import { metaTable } from '../meta.ts';

/** The change feed's versions, which form one sequence across all public tables. */
export class FeedVersions {
  readonly #db: Database;
  #hasSession = false;
  /** The last version taken in this transaction; null if none has been taken. */
  #last: number | null = null;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Takes `count` consecutive versions and returns the first one. */
  take(count: number): number {
    this.#last ??= lastVersion(this.#db);
    const first = this.#last + 1;
    if (!this.#hasSession) startSession(this.#db, first);
    this.#hasSession = true;
    this.#last += count;
    return first;
  }

  /**
   * Takes the two versions of a fetch or listing that found no change, one for the overview and one for the row, and
   * returns the first one.
   */
  touched(): number {
    return this.take(2);
  }

  /** Records that a known record's list has gained or lost rows. `version` is the record's version. */
  resized(table: string, key: string, rows: { before: number; after: number }, version: number): void {
    const { before, after } = rows;
    for (let position = before; position < after; position++) this.#save(table, key, position, version, 0);
    for (let position = after; position < before; position++)
      this.#save(table, key, position, this.take(1), 1);
  }

  /** Records that a row was deleted. */
  removed(table: string, key: string): void {
    this.#save(table, key, 0, this.take(1), 1);
  }

  /** Records a new row of registry statistics. */
  observed(callId: number): void {
    this.#save('registry_stats', String(callId), 0, this.take(1), 0);
  }

  /** Stores the last version taken. Call this function in the transaction that writes the rows. */
  save(): void {
    if (this.#last !== null) metaTable(this.#db).set('feed_version', String(this.#last));
    this.#last = null;
  }

  #save(...row: [table: string, key: string, position: number, version: number, isDeleted: 0 | 1]): void {
    run(
      this.#db,
      `INSERT INTO _feed_row (table_name, key, position, version, is_deleted) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET version = excluded.version, is_deleted = excluded.is_deleted`,
      ...row,
    );
  }
}

/** Returns the last version in the sequence, or 0 if no row has a version. */
export function lastVersion(db: Database): number {
  return Number(metaTable(db).get('feed_version') ?? '0');
}

/** Starts a session with a new random name. `first` is the first version that belongs to this session. */
function startSession(db: Database, first: number): void {
  run(
    db,
    'INSERT OR REPLACE INTO _feed_session (first_version, name) VALUES (?, lower(hex(randomblob(6))))',
    first,
  );
}

/** The version at which a company's record or summary was first stored, whichever was first. */
export const ADDED = `min(coalesce(record_added, record_version, summary_added, summary_version),
  coalesce(summary_added, summary_version, record_added, record_version))`;
