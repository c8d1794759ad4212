import type { Database } from 'better-sqlite3';
import type { QueryState } from '../load_result.ts';
import { row, rows, run, value } from '../sqlite/statements.ts';
import type { RowOf } from './table.ts';
import { QUERY, QUERY_PAGE } from './tables.ts';

export type QueryPage = Omit<RowOf<typeof QUERY_PAGE>, 'key'>;
export type QueryRow = RowOf<typeof QUERY>;

/** Reads and writes `_query` and `_query_page`, which store each listing's progress. */
export class Queries {
  readonly #db: Database;
  readonly #save;
  readonly #savePage;

  constructor(db: Database) {
    this.#db = db;
    this.#save = QUERY.insert(db, { onConflict: 'update' });
    this.#savePage = QUERY_PAGE.insert(db, { onConflict: 'update' });
  }

  find(key: string): QueryRow | undefined {
    return row(this.#db, SELECT_QUERY, key);
  }

  all(): IterableIterator<QueryRow> {
    return QUERY.select<[]>(this.#db).iterate();
  }

  save(query: QueryRow): void {
    this.#save(query);
  }

  savePage(key: string, received: QueryPage): void {
    this.#savePage({ key, ...received });
  }

  /** Returns the last reading of this page, or undefined if the page was never received. */
  page(key: string, index: number): QueryPage | undefined {
    return row(this.#db, `${SELECT_PAGE} WHERE query_key = ? AND page = ?`, key, index);
  }

  /** Forgets the truncated and refused listings, and with `withQueries` all others except the listing of all companies. */
  forgetUnfinished({ withQueries }: { readonly withQueries: boolean }): void {
    const isOutdated = `status IN ('capped', 'refused') OR (${Number(withQueries)} AND text <> '')`;
    this.#db.exec(
      `DELETE FROM _query_page WHERE query_key IN (SELECT query_key FROM _query WHERE ${isOutdated});
       DELETE FROM _query WHERE ${isOutdated}`,
    );
  }

  /** Removes what is stored about the listings before the one that began with `firstCall`. */
  dropEarlier(key: string, firstCall: number): void {
    run(this.#db, 'DELETE FROM _query_page WHERE query_key = ? AND call_id < ?', key, firstCall);
    run(
      this.#db,
      `UPDATE _query_page SET earlier_call = NULL, earlier_fingerprint = NULL
       WHERE query_key = ? AND earlier_call IS NOT NULL`,
      key,
    );
  }

  /**
   * Returns the pages of the listing that began with `firstCall`, in page order. By default, these are all pages of the
   * query, including those that only an earlier listing had.
   */
  pages(key: string, firstCall = 0): QueryPage[] {
    const sql = `${SELECT_PAGE} WHERE query_key = ? AND call_id >= ? ORDER BY page`;
    return rows(this.#db, sql, key, firstCall);
  }

  /** Returns the listing's pages from page 0 up to the first missing page. */
  listing(key: string, firstCall: number): QueryPage[] {
    return withoutHoles(this.pages(key, firstCall));
  }

  /** Returns whether a page of the listing that began with `firstCall` showed a company for the first time. */
  hasFoundNew(key: string, firstCall: number): boolean {
    const sql = `SELECT 1 FROM _query_page JOIN _call USING (call_id)
      WHERE query_key = ? AND call_id >= ? AND new > 0 LIMIT 1`;
    return value(this.#db, sql, key, firstCall) !== undefined;
  }

  /**
   * Returns the complete listings that were being read at `listedAt` and in which a page with this id's hash reported a
   * larger total than the last page. A listing that was started again is not returned.
   */
  listingsBeforeFall(idHash: Buffer, listedAt: string): QueryRow[] {
    return rows(
      this.#db,
      `SELECT ${QUERY.selected('q')} FROM _query q
       WHERE status = 'complete' AND pages > 1 AND repeats = 0 AND @listedAt BETWEEN listed_at AND asked_at AND EXISTS (
         SELECT 1 FROM _query_page p
         WHERE p.query_key = q.query_key AND call_id >= first_call AND p.total > q.total AND instr(fingerprint, @idHash)
       )`,
      { idHash, listedAt },
    );
  }

  withRepeats(repeats: number): number {
    return value<number>(this.#db, 'SELECT count(*) FROM _query WHERE repeats = ?', repeats) ?? 0;
  }

  /** Returns whether a page has ever reported a larger total than its number of rows. */
  hasLargerTotal(): boolean {
    return value(this.#db, 'SELECT 1 FROM _query_page WHERE total > rows LIMIT 1') !== undefined;
  }

  largestPage(): number {
    return value<number | null>(this.#db, 'SELECT max(rows) FROM _query_page') ?? 0;
  }
}

const SELECT_QUERY = `SELECT ${QUERY.selected()} FROM _query WHERE query_key = ?`;
const SELECT_PAGE = `SELECT ${QUERY_PAGE.selected()} FROM _query_page`;

/** Returns whether the upstream rejected this query when it was last sent. */
export function isQueryRefused(db: Database, key: string): boolean {
  return value(db, "SELECT 1 FROM _query WHERE query_key = ? AND status = 'refused'", key) !== undefined;
}

export function queryState(query: QueryRow): QueryState {
  return {
    query: { by: query.by, text: query.text },
    total: query.total,
    pages: query.pages,
    rows: query.rows,
    next: query.next,
    status: query.status,
    listedAtMs: Date.parse(query.listedAt),
    ...(query.isContradicted === 1 && { isContradicted: true }),
    ...(query.isRedundant === 1 && { isRedundant: true }),
  };
}

function withoutHoles(pages: readonly QueryPage[]): QueryPage[] {
  const hole = pages.findIndex((page, at) => page.index !== at);
  return hole === -1 ? [...pages] : pages.slice(0, hole);
}

/** A listing with a page that cannot be read. */
interface BrokenListing {
  /** The query's text; empty for the listing of all companies. */
  readonly text: string;
  readonly rows: number;
  readonly why: string;
}

/**
 * Returns the longest listing with a page that was refused, or failed in every attempt of a run, and how many such listings
 * there are. Returns null if there is none. A truncated listing counts only if no search by name can find the rest. Without
 * such a search, only the listing of all companies counts, because no page of the others can be requested.
 */
export function longestBrokenListing(
  db: Database,
  { hasNameSearch }: { readonly hasNameSearch: boolean },
): (BrokenListing & { readonly count: number }) | null {
  const found = rows<BrokenListing>(
    db,
    `SELECT text, rows, why FROM _failure
     JOIN _query ON query_key = substr(target, 1, length(rtrim(target, '0123456789')) - 1)
     WHERE kind = 'search' AND target LIKE query_key || '#%'
       AND (CASE WHEN ? THEN status = 'open' ELSE status IN ('open', 'capped') AND text = '' END)
       AND unixepoch(next_try_at) - unixepoch(failed_at) >= ?
     ORDER BY rows DESC`,
    Number(hasNameSearch),
    LASTING_BACKOFF_S,
  );
  return found[0] === undefined ? null : { ...found[0], count: found.length };
}

/** A run waits for a shorter backoff. */
const LASTING_BACKOFF_S = 600;

/** The listings that a limit ended. */
interface CappedListings {
  /** The number of rows in the longest listing; 0 if there is none. */
  readonly rows: number;
  /**
   * The same for listings without a total. Only listings of the same length then show a limit, because one can end with a
   * full page by chance.
   */
  readonly uncounted: number;
  /** Whether a limit ended nearly every listing, as in a search that returns only the best match. */
  readonly isUsual: boolean;
}

export function cappedListings(db: Database): CappedListings {
  const sql = `SELECT coalesce(max(rows), 0) AS rows, coalesce(max(rows) FILTER (WHERE uncounted >= ?), 0) AS uncounted
    FROM (SELECT rows, count(*) FILTER (WHERE total IS NULL) AS uncounted
      FROM _query WHERE status = 'capped' AND note IS NULL GROUP BY rows)`;
  const longest = row<Omit<CappedListings, 'isUsual'>>(db, sql, EQUAL_LENGTHS);
  const share = value<number>(db, "SELECT avg(status = 'capped') FROM _query WHERE rows > 0") ?? 0;
  return { rows: 0, uncounted: 0, ...longest, isUsual: share >= USUAL };
}

const USUAL = 0.9;

/** As in `ListingCap`, so many listings of the same length show a limit. */
const EQUAL_LENGTHS = 3;

/** Counts the queries that were answered, and those that found a company. */
export function countAnswered(db: Database): { readonly queries: number; readonly successful: number } {
  const sql = `SELECT count(*) AS queries, count(nullif(rows, 0)) AS successful FROM _query WHERE ${IS_ANSWERED}`;
  return row(db, sql) ?? { queries: 0, successful: 0 };
}

/**
 * Counts the answered queries that found no company, although a known name begins with their text. For 100,000 queries,
 * this takes 0.2 s.
 */
export function countContradicted(db: Database): number {
  const sql = `SELECT count(*) FROM _query WHERE ${IS_ANSWERED} AND rows = 0 AND EXISTS (
    SELECT 1 FROM _name WHERE folded >= text AND folded < text || char(1114111))`;
  return value<number>(db, sql) ?? 0;
}

const IS_ANSWERED = "status <> 'refused' AND text <> ''";
