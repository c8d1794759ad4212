import { type PagingStyleName, pagingMethod } from '../dialect/paging/paging.ts';
import type { ListingStatus } from '../dialect/paging/paging_method.ts';
import { HOUR_MS } from '../durations.ts';
import type { Queries, QueryPage } from '../warehouse/query.ts';
import { ROUND_LIMIT } from '../whole_listing.ts';
import { bytesHash } from './content.ts';

/** One received page of a query. */
export interface PageFacts {
  readonly index: number;
  readonly callId: number;
  readonly sentAt: string;
  readonly rows: number;
  readonly total: number | null;
  readonly next: string | null;
  /** A hash of the ids on the page. Two pages with the same ids in the same order have the same hash. */
  readonly fingerprint: string;
  readonly overlap: Overlap;
}

/** How a page that was read again in the same listing compares with its earlier reading. */
type Overlap =
  /** The page was read only once. */
  | 'none'
  | 'same'
  /** Some companies are on both readings, so the pages before this one lead up to it. */
  | 'partial'
  /** No company is on both readings, so companies before this page are missing. */
  | 'disjoint';

/** Stands for the link of a page that could not be read. The page counts as empty, and the listing goes on after it. */
export const UNREAD = 'unread';

/** Stands for the link of a page without one that lacks some results. The listing is not complete if it ends there. */
export const PARTIAL = 'partial';

export interface QueryListing {
  readonly total: number | null;
  /** The number of consecutive pages, which is also the index of the next page to request. */
  readonly pages: number;
  readonly rows: number;
  readonly next: string | null;
  readonly status: ListingStatus;
  /** Why the next page is one that must be read again; null if the pages do not contradict each other. */
  readonly contradiction: string | null;
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
  /** Whether a page with fewer rows is the last one. */
  readonly endsWithShortPage: boolean;
}

/** Derives a listing's state from its consecutive pages. */
export function listingOf(listed: ListedPages, rules: QueryListingRules): QueryListing {
  const listing = stateOf(listed, rules);
  return listing.status === 'complete' && listed.isPartial
    ? { ...listing, status: 'capped', note: 'the last response states that it is partial' }
    : listing;
}

function stateOf(listed: ListedPages, rules: QueryListingRules): QueryListing {
  const { last, total, pages, rows, repeat, contradiction } = listed;
  const position = positionAfter(listed, rules);
  const facts = { total, pages, rows, contradiction: null };
  if (contradiction !== null)
    return {
      ...facts,
      next: last === null ? null : (position ?? last.next),
      status: 'open',
      contradiction,
      note: contradiction,
    };
  if (last === null) return { ...facts, next: null, status: 'open', note: null };
  if (repeat !== null)
    return {
      ...facts,
      next: null,
      status: isAllReached(rows, total, rules) ? 'complete' : 'capped',
      note: `page ${repeat.page} repeats page ${repeat.of}: the paging style is wrong, or the listing ends there`,
    };
  if (isEarlyEnd(listed, rules)) return withoutEmptyPage(listed, rules);
  const status = isOpenEnded(listed) || mayBeGap(listed) ? 'open' : statusOf(last, listed, rules);
  if (status === 'open' && pages >= MAX_PAGES)
    return { ...facts, next: null, status: 'capped', note: `no end after ${pages} pages` };
  return { ...facts, next: position ?? last.next, status, note: null };
}

/** Returns the position of the next page, as if each page that could not be read had been full. */
function positionAfter(listed: ListedPages, { style, hasMainRow, fullPage }: QueryListingRules) {
  if (hasMainRow) return undefined;
  return pagingMethod(style).nextAfter?.(listed.rows + listed.unread.length * fullPage);
}

/** Returns whether a listing stays open although its rows reach the total or its last page is empty. */
function isOpenEnded({ last, rows, total, previousRows }: ListedPages): boolean {
  if (last === null || last.next === null) return false;
  // Some APIs filter a page after reading it, so an empty page can link to the next one. Two in a row are the end.
  return last.rows === 0 ? previousRows !== 0 : isClampedTotal(last, rows, total);
}

/**
 * Returns whether rows may follow an empty page. If each page has a range of ids, whole ranges can be empty. The longer the
 * listing, the longer such a gap can be: √pages empty pages are its end.
 */
function mayBeGap({ isUneven, last, total, pages, emptyPages, unread }: ListedPages): boolean {
  const isGap = isUneven && emptyPages > 0 && unread.length === 0;
  if (!isGap || total !== null || last === null || last.next !== null) return false;
  return emptyPages < Math.ceil(Math.sqrt(pages));
}

/** Returns whether the last page is empty although the total and the cap promise more rows. It is then read again. */
function isEarlyEnd({ last, rows, total, unread }: ListedPages, rules: QueryListingRules): boolean {
  if (unread.length > 0) return false;
  const isEmptyOnce = last !== null && last.rows === 0 && last.next === null && last.overlap !== 'same';
  const isBelowCap = rules.window === null || rows < rules.window;
  return isEmptyOnce && isBelowCap && isExact(total, rules) && rows < total;
}

function withoutEmptyPage(listed: ListedPages, rules: QueryListingRules): QueryListing {
  const { total, pages, rows, beforeLast } = listed;
  const contradiction = `page ${pages - 1} is empty after ${rows} rows, but the total is ${total}`;
  const position = positionAfter(listed, rules);
  return {
    total,
    pages: pages - 1,
    rows,
    status: 'open',
    contradiction,
    note: contradiction,
    next: beforeLast === null ? null : (position ?? beforeLast.next),
  };
}

/** Returns whether a total may count only the rows of its page: it equals the rows of a first page that is full. */
export function isTotalOfPage(
  { index, rows, total }: Pick<PageFacts, 'index' | 'rows' | 'total'>,
  { style, size }: { readonly style: PagingStyleName; readonly size: number },
  largest: { readonly rows: number; readonly times: number },
): boolean {
  if (index > 0 || rows === 0 || rows !== total || (style !== 'page' && style !== 'offset')) return false;
  // If several pages have the same largest number of rows, the upstream probably has smaller pages than the dialect says.
  const isLargest = rows >= largest.rows && largest.times >= 3;
  return rows >= SMALLEST_PAGE && (rows >= size || isLargest);
}

/** APIs do not have smaller pages. */
const SMALLEST_PAGE = 5;

/**
 * The pages in one listing. Pages can be added in any order.
 *
 * While a listing is read, companies can vanish from pages that were already read. The companies after them then move
 * forward, and some skip from an unread page to one that was read. Two neighbouring pages therefore join only if nothing
 * indicates a change between them: the totals are equal and less than MAX_GAP_MS has passed. Otherwise the earlier page is
 * read again. If it shares a company with its first reading, everything up to it was read. If not, the page before it is
 * read again too. Pages that were read before a page changed are read again after it. A page that looks the same although
 * its total changed counts as changed, because two moves can leave it as it was.
 */
export class ListedPages {
  /** The number of consecutive pages that join, counted from page 0. */
  pages = 0;
  /** The number of rows on these pages, up to the first page that repeats another page. */
  rows = 0;
  /** The last page before the first repeated page. */
  last: PageFacts | null = null;
  beforeLast: PageFacts | null = null;
  /** The total on the last page received; null if that page reports none. */
  total: number | null = null;
  /** `page` is the first page that has the same ids as an earlier page, `of`; null if there is none. */
  repeat: { readonly page: number; readonly of: number } | null = null;
  /** Why the page with the index `pages` must be read again; null if all pages join. */
  contradiction: string | null = null;
  /** Whether rows can follow a short page, because of the dialect or because pages before the last one differ in length. */
  isUneven: boolean;
  /** The number of empty pages at the end. */
  emptyPages = 0;
  /** The indexes of the pages that could not be read. */
  unread: readonly number[] = [];
  /** Whether the last page lacks some results. */
  isPartial = false;
  /** Whether pages link to the next one. */
  #hasLinks = false;
  readonly #waiting = new Map<number, PageFacts>();
  readonly #seen = new Map<string, number>();
  #unrelatedTotals = 0;
  #isTotalUnrelated = false;

  constructor(pages: readonly PageFacts[], isUneven = false) {
    this.isUneven = isUneven;
    for (const page of pages) this.add(page);
  }

  /** The number of rows on the page before the last one; null if there is none. */
  get previousRows(): number | null {
    return this.beforeLast?.rows ?? null;
  }

  has(index: number): boolean {
    return index < this.pages || this.contradiction !== null || this.#waiting.has(index);
  }

  add(page: PageFacts): void {
    this.#waiting.set(page.index, page);
    for (
      let next = this.#waiting.get(this.pages);
      next !== undefined && this.contradiction === null;
      next = this.#waiting.get(this.pages)
    ) {
      this.#waiting.delete(this.pages);
      this.#count(next);
    }
  }

  #count(page: PageFacts): void {
    const { last } = this;
    // The page before it was read again since, and no longer links to it: the listing has become shorter.
    if (last?.next === null && this.#hasLinks && last.callId > page.callId) return;
    this.total = page.total;
    this.#hasLinks ||= page.next !== null && page.next !== PARTIAL;
    if (this.repeat === null && last !== null) {
      const hasOtherTotal = this.#hasOtherTotal(last, page);
      const isGap = this.isUneven && last.rows === 0;
      const doubt = isGap ? null : doubtBetween(last, page, hasOtherTotal);
      if (doubt !== null) {
        this.#stepBack(last, doubt);
        return;
      }
      if (last.callId > page.callId && (hasOtherTotal || !this.#isUnchanged(last))) {
        this.contradiction = `page ${last.index} was read again after page ${page.index}`;
        return;
      }
    }
    this.pages += 1;
    if (this.repeat !== null) return;
    // An empty page ends the listing and does not count as a repeated page.
    const earlier = page.rows > 0 ? this.#seen.get(page.fingerprint) : undefined;
    if (earlier !== undefined) {
      this.repeat = { page: page.index, of: earlier };
      return;
    }
    this.#seen.set(page.fingerprint, page.index);
    if (page.next === UNREAD) this.unread = [...this.unread, page.index];
    this.rows += page.rows;
    this.emptyPages = page.rows === 0 ? this.emptyPages + 1 : 0;
    this.isUneven ||= page.rows > 0 && last !== null && (this.previousRows ?? last.rows) !== last.rows;
    this.beforeLast = last;
    // On the last page, some APIs return the cursor that they received.
    this.isPartial = page.next === PARTIAL;
    this.last = this.isPartial || page.next === last?.next ? { ...page, next: null } : page;
  }

  /** Returns whether the two totals show that the listing changed between the two readings. */
  #hasOtherTotal(before: PageFacts, page: PageFacts): boolean {
    const differs = before.total !== null && page.total !== null && before.total !== page.total;
    // If pages stay the same while the total changes again, the total probably means something else. In a busy registry,
    // this can also be a coincidence, but not for most of the pages.
    const isAgain = before.callId > page.callId || page.overlap === 'same';
    if (differs && before.overlap === 'same' && isAgain) this.#unrelatedTotals += 1;
    this.#isTotalUnrelated ||= this.#unrelatedTotals >= Math.max(UNRELATED_TOTALS, this.pages / 2);
    return differs && !this.#isTotalUnrelated;
  }

  /** Returns whether neither the page that was read again nor its total has changed. */
  #isUnchanged(page: PageFacts): boolean {
    return page.overlap === 'same' && page.total === this.beforeLast?.total;
  }

  #stepBack(last: PageFacts, contradiction: string): void {
    this.pages = last.index;
    this.rows -= last.rows;
    this.unread = this.unread.filter((index) => index < last.index);
    this.last = this.beforeLast;
    this.contradiction = contradiction;
  }
}

/** Returns why companies may be missing between two neighbouring pages, or null if the pages join. */
function doubtBetween(before: PageFacts, page: PageFacts, hasOtherTotal: boolean): string | null {
  if (before.rows === 0 && before.next === null && page.rows > 0)
    return `page ${before.index} was empty, but page ${page.index} is not`;
  if (before.callId > page.callId) return null;
  if (page.overlap === 'disjoint') return `page ${page.index} has moved by a whole page`;
  if (page.overlap !== 'none') return null;
  if (hasOtherTotal) return totalChange(before, page);
  const isGap = Date.parse(page.sentAt) - Date.parse(before.sentAt) > MAX_GAP_MS;
  return isGap ? `page ${page.index} was read long after page ${before.index}` : null;
}

function totalChange(first: PageFacts, later: PageFacts): string {
  return `the total changed from ${first.total} to ${later.total} while the listing was read`;
}

/** Within this time, a change that leaves the total as it was is improbable. */
const MAX_GAP_MS = 12 * HOUR_MS;
/** Fewer changes of the total can be a coincidence. */
const UNRELATED_TOTALS = 4;

/** A listing of this many pages counts as truncated, because some listings never end. */
export const MAX_PAGES = 10_000;

function statusOf(last: PageFacts, listed: ListedPages, rules: QueryListingRules): ListingStatus {
  const { rows, isUneven, unread, previousRows } = listed;
  const total = totalOfRows(listed, rules);
  if (isAllReached(rows, total, rules)) return 'complete';
  if (isAllReached(rows + unread.length * rules.fullPage, total, rules)) return 'capped';
  if (rules.window !== null && rows >= rules.window) return 'capped';
  const isShort = rules.endsWithShortPage && !isUneven && last.rows < rules.fullPage;
  const status =
    last.rows === 0 ? 'complete' : pagingMethod(rules.style).statusAfter({ isShort, total, next: last.next });
  const isLastShort = !isUneven && (last.rows === 0 ? (previousRows ?? 0) : last.rows) < rules.fullPage;
  const endsWithFullPages = last.rows === 0 && listed.total === null && !isUneven && !isLastShort;
  const isCut = unread.length > 0 || endsAtUnknownCap({ rows, total, isLastShort, endsWithFullPages }, rules);
  return status === 'complete' && isCut ? 'capped' : status;
}

/**
 * Returns the total; null if there is none, or if the pages have more rows. Such a total lags behind or counts something
 * else, so it does not show where the listing ends.
 */
function totalOfRows({ rows, total }: ListedPages, { hasMainRow }: QueryListingRules): number | null {
  const listedRows = hasMainRow ? rows - 1 : rows;
  return total !== null && listedRows > total ? null : total;
}

/**
 * Returns whether a round total is probably only a lower bound, because the upstream offers another page after as many
 * rows.
 */
function isClampedTotal(last: PageFacts, rows: number, total: number | null): boolean {
  return last.next !== null && last.rows > 0 && rows === total && rows % ROUND_LIMIT === 0;
}

/**
 * Returns whether an undocumented cap has probably ended the listing. Totals that are slightly too large do not
 * indicate a cap. Without an exact total, a round number of rows does. A cap that ends in the middle of a page is rounder
 * than one at its end.
 */
function endsAtUnknownCap(
  { rows, total, isLastShort, endsWithFullPages }: ListingEnd,
  rules: QueryListingRules,
): boolean {
  if (rows === 0) return false;
  if (isExact(total, rules)) return rows < total * CERTAIN_SHARE;
  if (isLastShort) return VERY_ROUND.test(String(rows));
  // A cap can also be a number of pages.
  return rows % ROUND_LIMIT === 0 || (endsWithFullPages && ROUND_PAGES.test(String(rows / rules.fullPage)));
}

interface ListingEnd {
  readonly rows: number;
  readonly total: number | null;
  /** Whether the last page with rows is not full. */
  readonly isLastShort: boolean;
  /** Whether an empty page follows full pages, and no total is reported. */
  readonly endsWithFullPages: boolean;
}

const CERTAIN_SHARE = 0.9;
/** For example, 500, 1,500 and 10,000, but not 450. */
const VERY_ROUND = /^([1-9]0|[127]5)0+$/;
/** A few pages, or a round number of them. A listing of 37 full pages probably has all matches. */
const ROUND_PAGES = /^([2-9]|[1-9]0+|[12]50*)$/;

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
export class OpenListings {
  readonly #queries: Queries;
  readonly #isUneven: boolean;
  readonly #latest = new Map<string, { readonly firstCall: number; readonly pages: ListedPages }>();

  constructor(queries: Queries, isUneven: boolean) {
    this.#queries = queries;
    this.#isUneven = isUneven;
  }

  /** Returns the query's listing that began with `firstCall`, including `page`. The page must already be written. */
  withPage(key: string, firstCall: number, page: QueryPage): ListedPages {
    const pages = this.#pagesWith(key, firstCall, page);
    this.#latest.delete(key);
    this.#latest.set(key, { firstCall, pages });
    const [oldest] = this.#latest.keys();
    if (this.#latest.size > MAX_LISTINGS && oldest !== undefined) this.#latest.delete(oldest);
    return pages;
  }

  #pagesWith(key: string, firstCall: number, page: QueryPage): ListedPages {
    const known = this.#latest.get(key);
    // Only a new page in the same listing is added to the cached pages. Any other page replaces one that was already
    // counted, so all pages are read again.
    const isNext = known?.firstCall === firstCall && page.callId >= firstCall && !known.pages.has(page.index);
    if (!isNext) return new ListedPages(this.#queries.pages(key, firstCall).map(factsOf), this.#isUneven);
    known.pages.add(factsOf(page));
    return known.pages;
  }
}

function factsOf({ index, callId, sentAt, rows, total, next, overlap, fingerprint }: QueryPage): PageFacts {
  return {
    index,
    callId,
    sentAt,
    rows,
    total,
    next,
    overlap,
    fingerprint: bytesHash(fingerprint).toString('hex'),
  };
}

// The maximum number of cached listings. A listing with 10,000 pages takes 1 MB of memory. Other listings are read
// again.
const MAX_LISTINGS = 16;
