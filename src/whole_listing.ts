/** A listing of all companies that was read to its end. */
export interface WholeListing {
  readonly rows: number;
  /** The listing's total; null if the upstream reports none. */
  readonly total: number | null;
  /** The number of rows that other searches have returned since this listing began. */
  readonly checkedRows: number;
}

/**
 * Returns the number of companies in the listing; null if it may have ended at an undocumented limit. A round number
 * counts only after other searches have returned enough rows without a company that the listing lacks. `known` is the
 * number of known companies.
 */
export function countOfListing({ rows, total, checkedRows }: WholeListing, known: number): number | null {
  const count = Math.max(rows, total ?? 0);
  if (count === 0) return null;
  if (count % ROUND_LIMIT !== 0) return count;
  return known <= count && checkedRows >= Math.min(count, CHECKED_ROWS) ? count : null;
}

/** A limit that an API's documents do not state is a multiple of this number, because programmers choose round limits. */
export const ROUND_LIMIT = 50;
/** If a listing lacks 3% of the companies, 100 rows contain one of them with a probability of 95%. */
const CHECKED_ROWS = 100;
