import type { Database } from 'better-sqlite3';
import type { SearchQuery } from '../call.ts';
import type { QueryState } from '../knowledge.ts';
import type { Naming } from './table_naming.ts';

export interface QueryPage {
  readonly index: number;
  readonly callId: number;
  readonly sentAt: string;
  readonly rows: number;
  readonly total: number | null;
  readonly next: string | null;
  readonly fingerprint: Buffer;
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
  readonly note: string | null;
}

const SELECT = `SELECT query_key AS key, "by", text, total, pages, rows, next, status, listed_at AS listedAt,
  asked_at AS askedAt, note FROM`;

/** Reads and writes `_query` and `_query_page`, which store each listing's progress. */
export function queryTable(db: Database, naming: Naming) {
  const table = naming('_query');
  const pages = naming('_query_page');
  const find = db.prepare<[string], QueryRow>(`${SELECT} ${table} WHERE query_key = ?`);
  const all = db.prepare<[], QueryRow>(`${SELECT} ${table}`);
  const save = db.prepare<[QueryRow]>(
    `INSERT OR REPLACE INTO ${table} (query_key, "by", text, total, pages, rows, next, status, listed_at, asked_at, note)
     VALUES (@key, @by, @text, @total, @pages, @rows, @next, @status, @listedAt, @askedAt, @note)`,
  );
  const savePage = db.prepare(
    `INSERT OR REPLACE INTO ${pages} (query_key, page, call_id, sent_at, rows, total, next, fingerprint)
     VALUES (@key, @index, @callId, @sentAt, @rows, @total, @next, @fingerprint)`,
  );
  const page = db
    .prepare<[string, number], number>(`SELECT call_id FROM ${pages} WHERE query_key = ? AND page = ?`)
    .pluck();
  const pagesSince = db.prepare<[string, string], QueryPage>(
    `SELECT page AS "index", call_id AS callId, sent_at AS sentAt, rows, total, next, fingerprint
     FROM ${pages} WHERE query_key = ? AND sent_at >= ? ORDER BY page`,
  );
  const largestPage = db.prepare<[], number | null>(`SELECT max(rows) FROM ${pages}`).pluck();
  return {
    find: (key: string): QueryRow | undefined => find.get(key),
    all: (): IterableIterator<QueryRow> => all.iterate(),
    save: (row: QueryRow): void => {
      save.run(row);
    },
    savePage: (key: string, received: QueryPage): void => {
      savePage.run({ key, ...received });
    },
    /** Returns the id of the call that last returned this page, or null if the page was never received. */
    callOfPage: (key: string, index: number): number | null => page.get(key, index) ?? null,
    /** Returns the pages of the listing that started at `listedAt`, in page order. */
    pagesSince: (key: string, listedAt: string): QueryPage[] => pagesSince.all(key, listedAt),
    /** Returns the listing's pages from page 0 up to the first missing page. */
    listing: (key: string, listedAt: string): QueryPage[] => withoutHoles(pagesSince.all(key, listedAt)),
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
  };
}

function withoutHoles(pages: readonly QueryPage[]): QueryPage[] {
  const hole = pages.findIndex((page, at) => page.index !== at);
  return hole === -1 ? [...pages] : pages.slice(0, hole);
}
