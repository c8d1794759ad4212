import { type PagingStyleName, pagingMethod } from '../dialect/paging/paging.ts';
import type { ListingStatus } from '../dialect/paging/paging_method.ts';
import type { DerivedTables } from '../warehouse/derived.ts';
import type { QueryPage } from '../warehouse/query.ts';

/** One received page of a query. */
export interface PageFacts {
  readonly index: number;
  readonly rows: number;
  readonly total: number | null;
  readonly next: string | null;
  /** Equal for two pages of the same ids in the same order. */
  readonly fingerprint: string;
}

export interface QueryListing {
  readonly total: number | null;
  readonly pages: number;
  readonly rows: number;
  readonly next: string | null;
  readonly status: ListingStatus;
  /** What was odd about it; null: nothing. */
  readonly note: string | null;
}

export interface QueryListingRules {
  readonly style: PagingStyleName;
  /** How many rows of one query can be reached; null: no limit known. */
  readonly window: number | null;
  /** Totals from here on mean "at least". */
  readonly totalClampedAt: number | null;
  /** The most rows that a page of this upstream ever had. */
  readonly largestPage: number;
}

/** What pages amount to, from 0 without a hole: how far the listing came, and whether anything is left. */
export function listingOf(
  { last, total, pages, rows, repeat }: ListedPages,
  rules: QueryListingRules,
): QueryListing {
  const facts = { total, pages, rows };
  if (last === null) return { ...facts, next: null, status: 'open', note: null };
  if (repeat !== null)
    return {
      ...facts,
      next: null,
      status: isAllReached(rows, total, rules) ? 'complete' : 'capped',
      note: `page ${repeat.page} repeats page ${repeat.of}: the paging was not understood, or ends there`,
    };
  const status = statusOf(last, rows, total, rules);
  if (status === 'open' && pages >= MOST_PAGES)
    return { ...facts, next: null, status: 'capped', note: `no end after ${pages} pages` };
  const isAtEnd = status === 'complete' && last.index > 0;
  return { ...facts, next: last.next, status, note: isAtEnd ? againstTotal(rows, total, rules) : null };
}

/** The pages of one listing, taken in one by one in any order. */
export class ListedPages {
  /** From 0 up to the first hole. */
  pages = 0;
  /** On these pages, up to one that repeats another. */
  rows = 0;
  /** The last that counts. */
  last: PageFacts | null = null;
  /** As the latest page says. */
  total: number | null = null;
  /** The first page that is like an earlier one. */
  repeat: { readonly page: number; readonly of: number } | null = null;
  readonly #beyondHole = new Map<number, PageFacts>();
  readonly #seen = new Map<string, number>();

  constructor(pages: readonly PageFacts[]) {
    for (const page of pages) this.take(page);
  }

  has(index: number): boolean {
    return index < this.pages || this.#beyondHole.has(index);
  }

  take(page: PageFacts): void {
    this.#beyondHole.set(page.index, page);
    for (let next = this.#beyondHole.get(this.pages); next; next = this.#beyondHole.get(this.pages)) {
      this.#beyondHole.delete(this.pages);
      this.#count(next);
    }
  }

  #count(page: PageFacts): void {
    this.pages += 1;
    this.total = page.total;
    if (this.repeat !== null) return;
    // An empty page is the end, not a repetition.
    const of = page.rows > 0 ? this.#seen.get(page.fingerprint) : undefined;
    if (of !== undefined) {
      this.repeat = { page: page.index, of };
      return;
    }
    this.#seen.set(page.fingerprint, page.index);
    this.rows += page.rows;
    this.last = page;
  }
}

/** No listing is worth more pages than this. */
export const MOST_PAGES = 10_000;

/** What a listing that is at its end brought, against what was announced; null: the same. */
function againstTotal(
  rows: number,
  total: number | null,
  { totalClampedAt }: QueryListingRules,
): string | null {
  const isExact = total !== null && (totalClampedAt === null || total < totalClampedAt);
  return isExact && rows !== total ? `${rows} rows came, and the total says ${total}` : null;
}

function statusOf(
  last: PageFacts,
  rows: number,
  total: number | null,
  rules: QueryListingRules,
): ListingStatus {
  if (isAllReached(rows, total, rules)) return 'complete';
  if (rules.window !== null && rows >= rules.window) return 'capped';
  if (last.rows === 0) return 'complete';
  const isShort = last.rows < rules.largestPage;
  return pagingMethod(rules.style).statusAfter({ isShort, total, next: last.next });
}

function isAllReached(rows: number, total: number | null, rules: QueryListingRules): boolean {
  if (total === null) return false;
  const isExact = rules.totalClampedAt === null || total < rules.totalClampedAt;
  return isExact && rows >= total;
}

/**
 * The pages of the listings that are under way. They are kept in memory: to read all the pages of a query again
 * for each that is added takes time that grows with their square.
 */
export interface OpenListings {
  /** The listing of the query that began at `listedAt`, with this page, which is written already. */
  withPage(key: string, listedAt: string, page: QueryPage): ListedPages;
}

export function openQueryListings(queries: DerivedTables['queries']): OpenListings {
  const latest = new Map<string, { readonly listedAt: string; readonly pages: ListedPages }>();

  function pagesWith(key: string, listedAt: string, page: QueryPage): ListedPages {
    const known = latest.get(key);
    // A page that comes again, or of an earlier listing, took the place of one that is counted.
    const isNext = known?.listedAt === listedAt && page.sentAt >= listedAt && !known.pages.has(page.index);
    if (!isNext) return new ListedPages(queries.pagesSince(key, listedAt).map(factsOf));
    known.pages.take(factsOf(page));
    return known.pages;
  }

  return {
    withPage: (key, listedAt, page) => {
      const pages = pagesWith(key, listedAt, page);
      latest.delete(key);
      latest.set(key, { listedAt, pages });
      for (const oldest of latest.keys()) {
        if (latest.size <= MOST_LISTINGS) break;
        latest.delete(oldest);
      }
      return pages;
    },
  };
}

function factsOf(page: QueryPage) {
  return { ...page, fingerprint: page.fingerprint.toString('hex') };
}

// One of ten thousand pages takes a megabyte. What is pushed out is read again.
const MOST_LISTINGS = 16;
