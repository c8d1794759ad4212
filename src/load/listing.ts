import type { Paging } from '../dialect/dialect.ts';

/** One received page of a query. */
export interface PageFacts {
  readonly index: number;
  readonly rows: number;
  readonly total: number | null;
  readonly next: string | null;
  /** Equal for two pages of the same ids in the same order. */
  readonly fingerprint: string;
}

export interface Listing {
  readonly total: number | null;
  readonly pages: number;
  readonly rows: number;
  readonly next: string | null;
  readonly status: 'open' | 'complete' | 'capped';
  /** What was odd about it; null: nothing. */
  readonly note: string | null;
}

export interface ListingRules {
  readonly style: Paging['style'];
  /** How many rows of one query can be reached; null: no limit known. */
  readonly window: number | null;
  /** Totals from here on mean "at least". */
  readonly totalClampedAt: number | null;
  /** The most rows that a page of this upstream ever had. */
  readonly largestPage: number;
}

/** What the pages from 0 without a hole amount to: how far the listing came, and whether anything is left. */
export function listingOf(pages: readonly PageFacts[], rules: ListingRules): Listing {
  const { repeatAt, repeated } = firstRepeat(pages);
  const counted = repeatAt === -1 ? pages : pages.slice(0, repeatAt);
  const last = counted.at(-1);
  const total = pages.at(-1)?.total ?? null;
  const rows = counted.reduce((sum, page) => sum + page.rows, 0);
  const facts = { total, pages: pages.length, rows };
  if (last === undefined) return { ...facts, next: null, status: 'open', note: null };
  if (repeatAt !== -1)
    return {
      ...facts,
      next: null,
      status: isAllReached(rows, total, rules) ? 'complete' : 'capped',
      note: `page ${repeatAt} repeats page ${repeated}: the paging was not understood, or ends there`,
    };
  const status = statusOf(last, rows, total, rules);
  if (status === 'open' && pages.length >= MOST_PAGES)
    return { ...facts, next: null, status: 'capped', note: `no end after ${pages.length} pages` };
  const isAtEnd = status === 'complete' && last.index > 0;
  return { ...facts, next: last.next, status, note: isAtEnd ? againstTotal(rows, total, rules) : null };
}

/** No listing is worth more pages than this. */
export const MOST_PAGES = 10_000;

/** The first page that is like an earlier one. An empty page is the end, not a repetition. */
function firstRepeat(pages: readonly PageFacts[]): { readonly repeatAt: number; readonly repeated: number } {
  const seen = new Map<string, number>();
  for (const [at, { rows, fingerprint }] of pages.entries()) {
    const repeated = rows > 0 ? seen.get(fingerprint) : undefined;
    if (repeated !== undefined) return { repeatAt: at, repeated };
    seen.set(fingerprint, at);
  }
  return { repeatAt: -1, repeated: -1 };
}

/** What a listing that is at its end brought, against what was announced; null: the same. */
function againstTotal(rows: number, total: number | null, { totalClampedAt }: ListingRules): string | null {
  const isExact = total !== null && (totalClampedAt === null || total < totalClampedAt);
  return isExact && rows !== total ? `${rows} rows came, and the total says ${total}` : null;
}

function statusOf(
  last: PageFacts,
  rows: number,
  total: number | null,
  rules: ListingRules,
): Listing['status'] {
  if (isAllReached(rows, total, rules)) return 'complete';
  if (rules.window !== null && rows >= rules.window) return 'capped';
  if (last.rows === 0) return 'complete';
  const isShort = last.rows < rules.largestPage;
  switch (rules.style) {
    case 'none':
      // One page is all there ever is: more may exist when the total says so, or when nothing shows the end.
      return total === null && isShort ? 'complete' : 'capped';
    case 'cursor':
    case 'next_url':
    case 'link_header':
      if (last.next !== null) return 'open';
      // The upstream ends here. A full last page below the total is a cap; a short one an inexact total.
      return total === null || isShort ? 'complete' : 'capped';
    case 'page':
    case 'offset':
      return total === null && isShort ? 'complete' : 'open';
  }
}

function isAllReached(rows: number, total: number | null, rules: ListingRules): boolean {
  if (total === null) return false;
  const isExact = rules.totalClampedAt === null || total < rules.totalClampedAt;
  return isExact && rows >= total;
}
