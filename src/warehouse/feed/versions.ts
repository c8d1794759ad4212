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

  /** Takes the next version. */
  next(): number {
    this.#last = (this.#last ?? lastVersion(this.#db)) + 1;
    if (!this.#hasSession) startSession(this.#db, this.#last);
    this.#hasSession = true;
    return this.#last;
  }

  /** Records that a row was deleted. `position` is its position in a list. */
  removed(table: string, key: string, position = 0): void {
    this.#save(table, key, position, 1);
  }

  /** Records a new row of registry statistics. */
  observed(callId: number): void {
    this.#save('registry_stats', String(callId), 0, 0);
  }

  /** Stores the last version taken. Call this function in the transaction that writes the rows. */
  save(): void {
    if (this.#last !== null) metaTable(this.#db).set('feed_version', this.#last);
    this.#last = null;
  }

  #save(table: string, key: string, position: number, isDeleted: 0 | 1): void {
    run(
      this.#db,
      `INSERT INTO _feed_row (table_name, key, position, version, is_deleted) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET version = excluded.version, is_deleted = excluded.is_deleted`,
      table,
      key,
      position,
      this.next(),
      isDeleted,
    );
  }
}

/** Returns the last version in the sequence, or 0 if no row has a version. */
export function lastVersion(db: Database): number {
  return metaTable(db).get('feed_version') ?? 0;
}

/** Starts a session with a new random name. `first` is the first version that belongs to this session. */
function startSession(db: Database, first: number): void {
  run(
    db,
    'INSERT OR REPLACE INTO _feed_session (first_version, name) VALUES (?, lower(hex(randomblob(6))))',
    first,
  );
}

/** The last version of any of a company's rows. The table has an index of this expression. */
export const NEWEST = `max(coalesce(record_version, 0), coalesce(record_touched, 0), coalesce(summary_version, 0),
  coalesce(summary_touched, 0))`;

/** The version at which a company's record or summary was first stored, whichever was first. */
export const ADDED = `min(coalesce(record_added, record_version, summary_added, summary_version),
  coalesce(summary_added, summary_version, record_added, record_version))`;
