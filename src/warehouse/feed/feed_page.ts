import type { Database } from 'better-sqlite3';
import { UsageError } from '../../errors.ts';
import { value } from '../../sqlite/statements.ts';
import {
  type Applied,
  type Change,
  changesAfter,
  MOST_ROWS,
  NOTHING_APPLIED,
  requireFeedTables,
  wholeFeedAt,
} from './changes.ts';
import { lastVersion } from './versions.ts';

/** The cursor for a consumer that has applied nothing. A feed from this cursor has every row. */
export const START = '0';

/**
 * Returns a consumer's cursor, which has the stored version and the name of the session that wrote it. If the consumer
 * has applied only part of a feed, the cursor also has the place of the last row and the version in `wholeAt`.
 */
export function cursorOf(db: Database, { version, wholeAt }: Applied): string {
  const stored = Math.floor(version / MOST_ROWS);
  if (stored === 0) return START;
  const session = sessionAt(db, stored);
  if (version === wholeFeedAt(wholeAt).version) return `${stored}-${session}`;
  return `${stored}.${version % MOST_ROWS}-${session}-${wholeAt}`;
}

/** Returns the cursor for the current state. A feed from this cursor is empty. */
export function currentCursor(db: Database): string {
  return cursorOf(db, wholeFeedAt(lastVersion(db)));
}

/**
 * Reads a cursor.
 *
 * @throws UnknownCursorError if this warehouse did not issue the cursor, or if the warehouse was restored from a copy
 * older than the cursor.
 */
export function readCursor(db: Database, cursor: string): Applied {
  if (cursor === START) return NOTHING_APPLIED;
  const [, version, place, session, wholeAt = version] =
    /^(\d{1,16})(?:\.(\d{1,6}))?-([0-9a-f]{12})(?:-(\d{1,16}))?$/.exec(cursor) ?? [];
  const isOurs = Number(version) <= lastVersion(db) && session === sessionAt(db, Number(version));
  if (!isOurs) throw new UnknownCursorError(cursor);
  // Earlier versions named no place. A part of the feed is then repeated.
  if (place === undefined) return wholeFeedAt(Number(wholeAt));
  return { version: Number(version) * MOST_ROWS + Number(place), wholeAt: Number(wholeAt) };
}

export class UnknownCursorError extends UsageError {
  constructor(cursor: string) {
    super(
      `the cursor ${JSON.stringify(cursor)} does not belong to this warehouse, or the warehouse was restored from a copy`,
      {
        hint: 'Empty your copy of the tables and start with the cursor 0, or with a full export and its cursor.',
      },
    );
  }
}

function sessionAt(db: Database, version: number): string | undefined {
  const sql = 'SELECT name FROM _feed_session WHERE first_version <= ? ORDER BY first_version DESC LIMIT 1';
  return value<string>(db, sql, version);
}

export interface FeedPageOrder {
  /** The consumer's cursor. */
  readonly since: string;
  readonly limit: number;
  /** The tables to read changes from; null for all tables. Every `forget` is always included. */
  readonly tables: readonly string[] | null;
}

export interface FeedPage {
  readonly changes: readonly Change[];
  /** The cursor for a consumer that has applied this page. */
  readonly cursor: string;
  /** True if more changes follow this page. */
  readonly hasMore: boolean;
}

/** Reads one page of the change feed. @throws UnknownCursorError, or UsageError if a table is unknown */
export function readFeedPage(db: Database, { since, limit, tables }: FeedPageOrder): FeedPage {
  const read = db.transaction((): FeedPage => {
    if (tables !== null) requireFeedTables(db, tables);
    const applied = readCursor(db, since);
    const changes: Change[] = [];
    let { version } = applied;
    let scanned = 0;
    for (const change of changesAfter(db, applied)) {
      if (changes.length >= limit || scanned >= MOST_SCANNED)
        return { changes, cursor: cursorOf(db, { version, wholeAt: applied.wholeAt }), hasMore: true };
      if (change.table === null || tables === null || tables.includes(change.table.name))
        changes.push(change);
      version = change.version;
      scanned += 1;
    }
    return { changes, cursor: currentCursor(db), hasMore: false };
  });
  return read();
}

/**
 * The maximum number of changes that one page reads. Without this limit, reading a page for a table that rarely changes
 * would keep other requests waiting.
 */
const MOST_SCANNED = 20_000;
