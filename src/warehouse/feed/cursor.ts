import type { Database } from 'better-sqlite3';
import { UsageError } from '../../errors.ts';
import { value } from '../../sqlite/statements.ts';
import { type Applied, MOST_ROWS, NOTHING_APPLIED, wholeFeedAt } from './changes.ts';
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
