import type { Database } from 'better-sqlite3';
import { type Change, changesAfter } from './changes.ts';
import { currentCursor, cursorOf, readCursor } from './cursor.ts';
import { requireFeedTables } from './feed_tables.ts';

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
