/** The limits of the upstream on one query. */
export interface Limits {
  /** `P`: the rows of one page. */
  readonly pageSize: number;
  /** `K`: the cap, in results; Infinity: none. */
  readonly window: number;
}

/** The companies that match a query, as estimated or counted. */
export interface MatchEstimate {
  /** `c`: known companies. */
  readonly known: number;
  /** `u`: the unseen count. */
  readonly unseen: number;
}

/**
 * New companies per call of a query that was not sent, with total `T = c + u`. If its listing is complete (`T ≤ K`), all its
 * pages are counted: `u / ceil(T/P)`. A truncated query brings one page: `0.8 · P · u/T`.
 *
 * Queries are ranked by new results per cost, as by Ntoulas, Zerfos and Cho, "Downloading textual hidden web content through
 * keyword queries" (JCDL 2005). A truncated query is split and a complete one is listed, as by Sheng, Zhang, Tao and Jin,
 * "Optimal algorithms for crawling a hidden database in the web" (PVLDB 5(11), 2012).
 */
export function firstPageYield({ known, unseen }: MatchEstimate, { pageSize, window }: Limits): number {
  const total = known + unseen;
  if (total <= 0) return 0;
  return total <= window
    ? unseen / Math.max(1, Math.ceil(total / pageSize))
    : (TRUNCATED_SHARE * pageSize * unseen) / total;
}

/**
 * New companies on the next page of a listing of which `rows` were received. The unseen companies are spread evenly over the
 * rows that were not received:
 *
 *     min(1, u/L) · max(1, min(P, R))
 *
 * - `L = max(1, c + u − rows)`: the rows that were not received;
 * - `R = min(c + u, K) − rows`: those of them below the cap.
 */
export function nextPageYield(
  { known, unseen }: MatchEstimate,
  rows: number,
  { pageSize, window }: Limits,
): number {
  const unlisted = Math.max(1, known + unseen - rows);
  const reachable = Math.min(known + unseen, window) - rows;
  return Math.min(1, unseen / unlisted) * Math.max(1, Math.min(pageSize, reachable));
}

/**
 * Is it better to list a truncated query to the cap before it is split?
 *
 * Each call counts by its new companies above `θP`, with `θ = 0.3`. The listing pays if
 *
 *     f − θP · ceil((K − rows)/P) + Σ max(0, u_i · (1 − f/u) − θP · p_i)  >  Σ max(0, u_i − θP · p_i)
 *
 * - `f = min(u, (K − rows) · u / (c + u − rows))`: the new companies that the rest of the listing shows;
 * - `u_i`: the unseen count of part `i`, of which the listing leaves the share `1 − f/u`;
 * - `p_i = max(1, ceil((c_i + u_i)/P))`: the pages of part `i`.
 */
export function listingPays(options: {
  readonly whole: MatchEstimate;
  readonly parts: readonly MatchEstimate[];
  readonly rows: number;
  readonly limits: Limits;
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

// A truncated query shows one page, and its extensions then cost further calls. Measured: docs/planner.md.
const TRUNCATED_SHARE = 0.8;
const LOWEST_PAGE_SHARE = 0.3;
