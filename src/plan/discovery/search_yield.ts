/** The upstream's limits for one query. */
export interface ListingLimits {
  /** `P`: the number of rows on a page. */
  readonly pageSize: number;
  /** `K`: the cap, as a number of results; Infinity if there is none. */
  readonly window: number;
}

/** How many companies match a query, counted or estimated. */
export interface MatchEstimate {
  /** `c`: known companies. */
  readonly known: number;
  /** `u`: the unseen count. */
  readonly unseen: number;
}

/**
 * Estimates the number of new companies per call for an unsent query with the total `T = c + u`. If all results are
 * below the cap (`T ≤ K`), the query is listed completely, and the yield is `u / ceil(T/P)`. For a truncated query,
 * only one page is counted, and the yield is `0.8 · P · u/T`.
 *
 * Ranking queries by new results per cost follows Ntoulas, Zerfos and Cho, "Downloading textual hidden web content
 * through keyword queries" (JCDL 2005). Splitting truncated queries and listing all others follows Sheng, Zhang, Tao
 * and Jin, "Optimal algorithms for crawling a hidden database in the web" (PVLDB 5(11), 2012).
 */
export function firstPageYield(
  { known, unseen }: MatchEstimate,
  { pageSize, window }: ListingLimits,
): number {
  const total = known + unseen;
  if (total <= 0) return 0;
  return total <= window
    ? unseen / Math.max(1, Math.ceil(total / pageSize))
    : (TRUNCATED_SHARE * pageSize * unseen) / total;
}

/**
 * Estimates the number of new companies on the next page of a listing after `rows` rows have been received. The unseen
 * companies are assumed to be spread evenly over the other rows:
 *
 *     min(1, u/L) · max(1, min(P, R))
 *
 * - `L = max(1, c + u − rows)`: the number of rows that have not been received;
 * - `R = min(c + u, K) − rows`: the number of rows below the cap that have not been received.
 */
export function nextPageYield(
  { known, unseen }: MatchEstimate,
  rows: number,
  { pageSize, window }: ListingLimits,
): number {
  const unlisted = Math.max(1, known + unseen - rows);
  const reachable = Math.min(known + unseen, window) - rows;
  return Math.min(1, unseen / unlisted) * Math.max(1, Math.min(pageSize, reachable));
}

/**
 * Returns whether it pays off to list a truncated query up to the cap before splitting it into parts.
 *
 * The value of a call is the number of new companies that it finds minus `θP`, with `θ = 0.3`. The listing pays off if
 *
 *     f − θP · ceil((K − rows)/P) + Σ max(0, u_i · (1 − f/u) − θP · p_i)  >  Σ max(0, u_i − θP · p_i)
 *
 * - `f = min(u, (K − rows) · u / (c + u − rows))`: the expected number of new companies in the rest of the listing;
 * - `u_i`: the unseen count of part `i`, of which the share `1 − f/u` remains after the listing;
 * - `p_i = max(1, ceil((c_i + u_i)/P))`: the number of pages in part `i`.
 */
export function listingPays(options: {
  readonly whole: MatchEstimate;
  readonly parts: readonly MatchEstimate[];
  readonly rows: number;
  readonly limits: ListingLimits;
}): boolean {
  const { whole, parts, rows, limits } = options;
  const { pageSize, window } = limits;
  const listed = Math.max(0, window - rows);
  const found = Math.min(
    whole.unseen,
    (listed * whole.unseen) / Math.max(1, whole.known + whole.unseen - rows),
  );
  const remainingShare = whole.unseen <= 0 ? 0 : 1 - found / whole.unseen;
  const perPage = LOWEST_PAGE_SHARE * pageSize;
  let withoutListing = 0;
  let withListing = found - perPage * Math.ceil(listed / pageSize);
  for (const { known, unseen } of parts) {
    const pages = Math.max(1, Math.ceil((known + unseen) / pageSize));
    withoutListing += Math.max(0, unseen - perPage * pages);
    withListing += Math.max(0, unseen * remainingShare - perPage * pages);
  }
  return withListing > withoutListing;
}

// The discount for a truncated query, because its extensions cost more calls. The value was measured (docs/planner.md).
const TRUNCATED_SHARE = 0.8;
const LOWEST_PAGE_SHARE = 0.3;
