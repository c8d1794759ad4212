import type { Database } from 'better-sqlite3';
import { UsageError } from '../../errors.ts';
import { value } from '../../sqlite/statements.ts';
import { type Applied, NOTHING_APPLIED } from './changes.ts';
import { lastVersion } from './versions.ts';

/** The cursor for a consumer that has applied nothing. A feed from this cursor has every row. */
export const START = '0';

/**
 * Returns a consumer's cursor, which has the version and the name of the session that wrote it. If the consumer has
 * applied only part of a feed, the cursor also includes the version at which the consumer last had the whole feed.
 */
export function cursorOf(db: Database, { version, wholeAt }: Applied): string {
  if (version === 0) return START;
  return `${version}-${sessionAt(db, version)}${wholeAt === version ? '' : `-${wholeAt}`}`;
}

/** Returns the cursor for the current state. A feed from this cursor is empty. */
export function currentCursor(db: Database): string {
  const version = lastVersion(db);
  return cursorOf(db, { version, wholeAt: version });
}

/**
 * Reads a cursor.
 *
 * @throws UnknownCursorError if this warehouse did not issue the cursor, or if the warehouse was restored from a copy
 * older than the cursor.
 */
export function readCursor(db: Database, cursor: string): Applied {
  if (cursor === START) return NOTHING_APPLIED;
  const [, version, session, wholeAt = version] =
    /^(\d{1,16})-([0-9a-f]{12})(?:-(\d{1,16}))?$/.exec(cursor) ?? [];
  const isOurs = Number(version) <= lastVersion(db) && session === sessionAt(db, Number(version));
  if (!isOurs) throw new UnknownCursorError(cursor);
  return { version: Number(version), wholeAt: Number(wholeAt) };
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
