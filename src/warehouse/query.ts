import type { Database } from 'better-sqlite3';
import type { QueryState } from '../load_result.ts';
import type { RowOf } from './table.ts';
import { QUERY, QUERY_PAGE } from './tables.ts';

export type QueryPage = Omit<RowOf<typeof QUERY_PAGE>, 'key'>;
export type QueryRow = RowOf<typeof QUERY>;

/** Reads and writes `_query` and `_query_page`, which store each listing's progress. */
export function queryTable(db: Database) {
  const find = QUERY.select<[string]>(db, 'WHERE query_key = ?');
  const all = QUERY.select<[]>(db);
  const save = QUERY.insert(db, { onConflict: 'update' });
  const savePage = QUERY_PAGE.insert(db, { onConflict: 'update' });
  const page = QUERY_PAGE.select<[string, number]>(db, 'WHERE query_key = ? AND page = ?');
  const pagesSince = QUERY_PAGE.select<[string, number]>(
    db,
    'WHERE query_key = ? AND call_id >= ? ORDER BY page',
  );
  const foundNew = db.prepare<[string, number]>(
    `SELECT 1 FROM _query_page JOIN _call USING (call_id) WHERE query_key = ? AND call_id >= ? AND new > 0 LIMIT 1`,
  );
  const withRepeats = db.prepare<[number], number>(`SELECT count(*) FROM _query WHERE repeats = ?`).pluck();
  const hasLargerTotal = db
    .prepare<[], 0 | 1>(`SELECT EXISTS (SELECT 1 FROM _query_page WHERE total > rows)`)
    .pluck();
  const largestPage = db.prepare<[], number | null>(`SELECT max(rows) FROM _query_page`).pluck();
  return {
    find: (key: string): QueryRow | undefined => find.get(key),
    all: (): IterableIterator<QueryRow> => all.iterate(),
    save: (row: QueryRow): void => {
      save(row);
    },
    savePage: (key: string, received: QueryPage): void => {
      savePage({ key, ...received });
    },
    /** Returns the last reading of this page, or undefined if the page was never received. */
    page: (key: string, index: number): QueryPage | undefined => page.get(key, index),
    /** Returns the pages of the listing that began with `firstCall`, in page order. */
    pagesSince: (key: string, firstCall: number): QueryPage[] => pagesSince.all(key, firstCall),
    /** Returns the listing's pages from page 0 up to the first missing page. */
    listing: (key: string, firstCall: number): QueryPage[] => withoutHoles(pagesSince.all(key, firstCall)),
    /** Returns whether a page of the listing that began with `firstCall` showed a company for the first time. */
    hasFoundNew: (key: string, firstCall: number): boolean => foundNew.get(key, firstCall) !== undefined,
    withRepeats: (repeats: number): number => withRepeats.get(repeats) ?? 0,
    /** Returns whether a page has ever reported a larger total than its number of rows. */
    hasLargerTotal: (): boolean => hasLargerTotal.get() === 1,
    largestPage: (): number => largestPage.get() ?? 0,
  };
}

export type Queries = ReturnType<typeof queryTable>;

/** Returns whether the upstream rejected this query when it was last sent. */
export function isQueryRefused(db: Database, key: string): boolean {
  const select = db.prepare("SELECT 1 FROM _query WHERE query_key = ? AND status = 'refused'");
  return select.get(key) !== undefined;
}

export function queryState(row: QueryRow): QueryState {
  return {
    query: { by: row.by, text: row.text },
    total: row.total,
    pages: row.pages,
    rows: row.rows,
    next: row.next,
    status: row.status,
    listedAtMs: Date.parse(row.listedAt),
    ...(row.isContradicted === 1 && { isContradicted: true }),
  };
}

function withoutHoles(pages: readonly QueryPage[]): QueryPage[] {
  const hole = pages.findIndex((page, at) => page.index !== at);
  return hole === -1 ? [...pages] : pages.slice(0, hole);
}
