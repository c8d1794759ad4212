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
  /** A hash of the ids on the page. Two pages with the same ids in the same order have the same hash. */
  readonly fingerprint: string;
}

export interface QueryListing {
  readonly total: number | null;
  readonly pages: number;
  readonly rows: number;
  readonly next: string | null;
  readonly status: ListingStatus;
  /** A sentence about an anomaly in the listing; null if there is none. */
  readonly note: string | null;
}

export interface QueryListingRules {
  readonly style: PagingStyleName;
  /** Whether a row outside the list of results also counts as a row. */
  readonly hasMainRow: boolean;
  /** The cap, which is the maximum number of results that one query can return; null if it is unknown. */
  readonly window: number | null;
  /** A total this large or larger is only a lower bound. */
  readonly totalClampedAt: number | null;
  /** The number of rows on a full page. */
  readonly fullPage: number;
}

/** Derives a listing's state from its consecutive pages. */
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
      note: `page ${repeat.page} repeats page ${repeat.of}: the paging style is wrong, or the listing ends there`,
    };
  const status = isClampedTotal(last, rows, total) ? 'open' : statusOf(last, rows, total, rules);
  if (status === 'open' && pages >= MAX_PAGES)
    return { ...facts, next: null, status: 'capped', note: `no end after ${pages} pages` };
  const isAtEnd = status !== 'open' && last.index > 0;
  const position = rules.hasMainRow ? undefined : pagingMethod(rules.style).nextAfter?.(rows);
  return {
    ...facts,
    next: position ?? last.next,
    status,
    note: isAtEnd ? totalMismatch(rows, total, rules) : null,
  };
}

/** The pages in one listing. Pages can be added in any order. */
export class ListedPages {
  /** The number of consecutive pages, counted from page 0. */
  pages = 0;
  /** The number of rows on these pages, up to the first page that repeats another page. */
  rows = 0;
  /** The last page before the first repeated page. */
  last: PageFacts | null = null;
  /** The total on the last page; null if that page reports none. */
  total: number | null = null;
  /** `page` is the first page that has the same ids as an earlier page, `of`; null if there is none. */
  repeat: { readonly page: number; readonly of: number } | null = null;
  readonly #waiting = new Map<number, PageFacts>();
  readonly #seen = new Map<string, number>();

  constructor(pages: readonly PageFacts[]) {
    for (const page of pages) this.add(page);
  }

  has(index: number): boolean {
    return index < this.pages || this.#waiting.has(index);
  }

  add(page: PageFacts): void {
    this.#waiting.set(page.index, page);
    for (let next = this.#waiting.get(this.pages); next; next = this.#waiting.get(this.pages)) {
      this.#waiting.delete(this.pages);
      this.#count(next);
    }
  }

  #count(page: PageFacts): void {
    this.pages += 1;
    this.total = page.total;
    if (this.repeat !== null) return;
    // An empty page ends the listing and does not count as a repeated page.
    const earlier = page.rows > 0 ? this.#seen.get(page.fingerprint) : undefined;
    if (earlier !== undefined) {
      this.repeat = { page: page.index, of: earlier };
      return;
    }
    this.#seen.set(page.fingerprint, page.index);
    this.rows += page.rows;
    // On the last page, some APIs return the cursor that they received.
    this.last = page.next === this.last?.next ? { ...page, next: null } : page;
  }
}

/** A listing of this many pages counts as truncated, because some listings never end. */
export const MAX_PAGES = 10_000;

/** Describes how a finished listing's row count differs from its total. Returns null if they are equal. */
function totalMismatch(rows: number, total: number | null, rules: QueryListingRules): string | null {
  return isExact(total, rules) && rows !== total ? `received ${rows} rows, but the total is ${total}` : null;
}

function statusOf(
  last: PageFacts,
  rows: number,
  total: number | null,
  rules: QueryListingRules,
): ListingStatus {
  if (isAllReached(rows, total, rules)) return 'complete';
  if (rules.window !== null && rows >= rules.window) return 'capped';
  const isShort = last.rows < rules.fullPage;
  const status =
    last.rows === 0 ? 'complete' : pagingMethod(rules.style).statusAfter({ isShort, total, next: last.next });
  return status === 'complete' && endsAtUnknownCap(rows, total, rules) ? 'capped' : status;
}

/**
 * Returns whether a round total is probably only a lower bound, because the upstream offers another page after as many
 * rows.
 */
function isClampedTotal(last: PageFacts, rows: number, total: number | null): boolean {
  return last.next !== null && last.rows > 0 && rows === total && rows % ROUND_CAP === 0;
}

/**
 * Returns whether an undocumented cap has probably ended the listing. Totals that are slightly too large do not
 * indicate a cap. Without an exact total, a round number of rows does.
 */
function endsAtUnknownCap(rows: number, total: number | null, rules: QueryListingRules): boolean {
  return isExact(total, rules)
    ? rows >= SMALLEST_CAP && rows < total * CERTAIN_SHARE
    : rows > 0 && rows % ROUND_CAP === 0;
}

const SMALLEST_CAP = 50;
const CERTAIN_SHARE = 0.9;
const ROUND_CAP = 100;

function isAllReached(rows: number, total: number | null, rules: QueryListingRules): boolean {
  return isExact(total, rules) && rows >= total;
}

/** Returns whether the upstream reports a total and the total is not only a lower bound. */
function isExact(total: number | null, { totalClampedAt }: QueryListingRules): total is number {
  return total !== null && (totalClampedAt === null || total < totalClampedAt);
}

/**
 * The pages of unfinished listings, cached in memory. Without the cache, each new page would require reading all
 * earlier pages again, which takes quadratic time.
 */
export interface OpenListings {
  /** Returns the query's listing that started at `listedAt`, including `page`. The page must already be written. */
  withPage(key: string, listedAt: string, page: QueryPage): ListedPages;
}

export function openQueryListings(queries: DerivedTables['queries']): OpenListings {
  const latest = new Map<string, { readonly listedAt: string; readonly pages: ListedPages }>();

  function pagesWith(key: string, listedAt: string, page: QueryPage): ListedPages {
    const known = latest.get(key);
    // Only a new page in the same listing is added to the cached pages. Any other page replaces one that was already
    // counted, so all pages are read again.
    const isNext = known?.listedAt === listedAt && page.sentAt >= listedAt && !known.pages.has(page.index);
    if (!isNext) return new ListedPages(queries.pagesSince(key, listedAt).map(factsOf));
    known.pages.add(factsOf(page));
    return known.pages;
  }

  return {
    withPage: (key, listedAt, page) => {
      const pages = pagesWith(key, listedAt, page);
      latest.delete(key);
      latest.set(key, { listedAt, pages });
      for (const oldest of latest.keys()) {
        if (latest.size <= MAX_LISTINGS) break;
        latest.delete(oldest);
      }
      return pages;
    },
  };
}

function factsOf(page: QueryPage) {
  return { ...page, fingerprint: page.fingerprint.toString('hex') };
}

// The maximum number of cached listings. A listing with 10,000 pages takes 1 MB of memory. Other listings are read
// again.
const MAX_LISTINGS = 16;
