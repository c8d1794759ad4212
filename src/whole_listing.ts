import type { QueryState } from './knowledge.ts';

/** A listing of all companies that was read to its end. */
export interface WholeListing {
  readonly rows: number;
  /** The listing's total; null if the upstream reports none. */
  readonly total: number | null;
  /** The number of rows that other searches, which match fewer companies, have returned since this listing began. */
  readonly checkedRows: number;
  /** Whether a company can have several rows. The rows and the total then do not count companies. */
  readonly hasSeveralRows: boolean;
}

type ListedQuery = Pick<QueryState, 'query' | 'rows' | 'total' | 'listedAtMs'>;

/**
 * Returns the number of companies in the listing; null if it may have ended at an undocumented limit, or if searches found
 * companies that it lacks, such as dissolved ones. A round number counts only after other searches have returned enough
 * rows without such a company. So does a listing that lacks a few known companies, which can be new or gone. `known` is the
 * number of known companies that probably still exist.
 */
export function countOfListing(listing: WholeListing, known: number): number | null {
  const { rows, total, checkedRows, hasSeveralRows } = listing;
  const count = Math.max(rows, total ?? 0);
  if (count === 0) return null;
  const isRound = count % ROUND_LISTING === 0;
  const hasChecks = isChecked(count, checkedRows);
  if (isRound ? known > count || !hasChecks : known > count && !hasChecks) return null;
  // Every company in the listing is known, so only the rows that were not received can belong to unknown companies.
  if (hasSeveralRows) return known + count - rows;
  return known - count >= Math.max(FEWEST_UNLISTED, count * UNLISTED_SHARE) ? null : count;
}

/** Returns whether other searches have returned enough rows to show whether a listing lacks companies. */
export function isChecked(count: number, checkedRows: number): boolean {
  return checkedRows >= Math.min(count, CHECKED_ROWS);
}

/**
 * Returns how many rows other searches have returned that check the listing of all companies. Once there are enough, it
 * reads no further queries.
 */
export function checkedRows(queries: Iterable<ListedQuery>, everything: ListedQuery | null): number {
  let sum = 0;
  for (const state of queries) {
    sum += rowsThatCheck(state, everything);
    if (sum >= CHECKED_ROWS) break;
  }
  return sum;
}

/**
 * Returns how many rows of a search check the listing of all companies, because they were received after it began. A
 * search that matches as many companies as the listing checks nothing: one limit can have ended both after the same
 * companies.
 */
export function rowsThatCheck(state: ListedQuery, everything: ListedQuery | null): number {
  if (everything === null || state.query.text === '' || state.listedAtMs < everything.listedAtMs) return 0;
  return matchesIn(state) < matchesIn(everything) ? state.rows : 0;
}

function matchesIn({ rows, total }: ListedQuery): number {
  return Math.max(rows, total ?? 0);
}

/** A limit that an API's documents do not state is a multiple of this number, because programmers choose round limits. */
export const ROUND_LIMIT = 50;
/** A limit on the pages of a listing is a multiple of the page size, such as 125 rows for five pages. */
const ROUND_LISTING = 25;
/** If a listing lacks 3% of the companies, 100 rows contain one of them with a probability of 95%. */
export const CHECKED_ROWS = 100;
/** Fewer companies beside the listing may have been registered or deleted since it was read. */
const FEWEST_UNLISTED = 3;
const UNLISTED_SHARE = 0.01;
