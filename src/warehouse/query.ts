import type { Database } from 'better-sqlite3';
import type { SearchQuery } from '../call.ts';
import type { QueryState } from '../knowledge.ts';

export interface QueryPage {
  readonly index: number;
  readonly callId: number;
  readonly sentAt: string;
  readonly rows: number;
  readonly total: number | null;
  readonly next: string | null;
  /** The hashes of the ids on the page, in order (`ID_HASH_BYTES` each). */
  readonly fingerprint: Buffer;
  /** How this reading compares with an earlier reading of the same page in the same listing. */
  readonly overlap: 'none' | 'same' | 'partial' | 'disjoint';
}

export interface QueryRow {
  readonly key: string;
  readonly by: SearchQuery['by'];
  readonly text: string;
  readonly total: number | null;
  readonly pages: number;
  readonly rows: number;
  readonly next: string | null;
  readonly status: QueryState['status'];
  readonly listedAt: string;
  readonly askedAt: string;
  /** The call that returned the first page of the current listing. */
  readonly firstCall: number;
  /** How often the listing was started again because companies moved while it was read. */
  readonly repeats: number;
  /** 1 if the next page is one that must be read again. */
  readonly isContradicted: 0 | 1;
  readonly note: string | null;
}

const SELECT = `SELECT query_key AS key, "by", text, total, pages, rows, next, status, listed_at AS listedAt,
  asked_at AS askedAt, first_call AS firstCall, repeats, contradicted AS isContradicted, note FROM`;

/** Reads and writes `_query` and `_query_page`, which store each listing's progress. */
export function queryTable(db: Database) {
  const find = db.prepare<[string], QueryRow>(`${SELECT} _query WHERE query_key = ?`);
  const all = db.prepare<[], QueryRow>(`${SELECT} _query`);
  const save = db.prepare<[QueryRow]>(
    `INSERT OR REPLACE INTO _query (query_key, "by", text, total, pages, rows, next, status, listed_at, asked_at,
       first_call, repeats, contradicted, note)
     VALUES (@key, @by, @text, @total, @pages, @rows, @next, @status, @listedAt, @askedAt,
       @firstCall, @repeats, @isContradicted, @note)`,
  );
  const savePage = db.prepare(
    `INSERT OR REPLACE INTO _query_page (query_key, page, call_id, sent_at, rows, total, next, fingerprint, overlap)
     VALUES (@key, @index, @callId, @sentAt, @rows, @total, @next, @fingerprint, @overlap)`,
  );
  const selected = `page AS "index", call_id AS callId, sent_at AS sentAt, rows, total, next, fingerprint, overlap`;
  const page = db.prepare<[string, number], QueryPage>(
    `SELECT ${selected} FROM _query_page WHERE query_key = ? AND page = ?`,
  );
  const pagesSince = db.prepare<[string, number], QueryPage>(
    `SELECT ${selected} FROM _query_page WHERE query_key = ? AND call_id >= ? ORDER BY page`,
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
      save.run(row);
    },
    savePage: (key: string, received: QueryPage): void => {
      savePage.run({ key, ...received });
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
