/** How the remaining companies are searched for. */
export type SearchBy = 'listing' | 'identifiers' | 'name prefix' | 'word prefix' | 'whole word' | 'substring';

export interface SearchFacts {
  readonly by: SearchBy;
  /** `m`: the number of companies in the registry that are not known yet; Infinity if the registry is not counted. */
  readonly missing: number;
  /** `N`: the number of companies in the registry, or of those that it has at least. */
  readonly size: number;
  /** `P`. */
  readonly pageSize: number;
  /** `K`, the cap: the maximum number of results that one query can return, or Infinity if there is no cap. */
  readonly window: number;
  /** The expected yields of the planner's next searches, in its order. */
  readonly expected: readonly number[];
  /** Whether the first of these searches reads on in a listing. */
  readonly isReading: boolean;
  /** The mean number of new companies that each of the last searches found; null if none was sent. */
  readonly foundLately: number | null;
  /** `v`: the number of new companies that are worth as much as a due record. */
  readonly perRecord: number;
  /** The number of searches without a new company at the end. */
  readonly stopSearches: number;
}

export interface SearchCost {
  /** The number of searches that come before due records. */
  readonly first: number;
  /** The number of searches until none is due. */
  readonly all: number;
  /** Returns how many companies the first `n` searches find. */
  readonly found: (n: number) => number;
}

/**
 * Estimates the searches for `m` missing companies of `N`. The mean yield `y` of the next searches is the geometric mean
 * of what the planner expects and of what the last searches found. It falls with the square of the number of companies
 * that are still missing, so the first `n` searches find
 *
 *     1 / (1/(n · y) + 1/m)
 *
 * Searches come before due records while each is expected to find more than `v` companies. Their number is the geometric
 * mean of two estimates. One is the number of planned searches that the planner expects to find so many. The other is the
 * number after which the mean yield has fallen to `v`:
 *
 *     m/y · (√(y/v) − 1)
 *
 * While a listing is read, or if each planned search is expected to find more, the first estimate is at least `m` divided by
 * the best search's expected yield. Until no search is due, the number of searches is
 *
 *     m/P + 9 · (m/K)^0.7 + tail · √N · (m / (N − m))^0.2 + stop
 *
 * - `9 · (m/K)^0.7`: the queries whose listings the cap `K` truncates, if it is below `N`.
 * - `tail`: the queries that split the registry (`TAILS`). Even few missing companies are in many parts of it.
 * - `stop`: the searches without a new company at the end.
 *
 * The constants were measured in random registries with 300 to 3,000 companies.
 */
export function searchCost(facts: SearchFacts): SearchCost {
  const { by, missing, size, pageSize, window, expected, isReading, perRecord, stopSearches } = facts;
  if (by === 'listing') {
    const pages = Math.ceil(missing / pageSize);
    const first = pageSize > perRecord ? pages : 0;
    return { first, all: pages + stopSearches, found: (n) => Math.min(missing, n * pageSize) };
  }
  const meanYield = meanYieldOf(facts);
  const found = (n: number) => 1 / (1 / (n * meanYield) + 1 / missing);
  const listed = missing / pageSize + (size > window ? 9 * (missing / window) ** 0.7 : 0);
  const share = Math.min(1, (missing / Math.max(1, size - missing)) ** 0.2);
  const all = listed + TAILS[by] * Math.sqrt(size) * share + stopSearches;
  const best = expected[0] ?? 0;
  if (best <= perRecord) return { first: 0, all, found };
  const planned = expected.filter((companies) => companies > perRecord).length;
  if (missing === Infinity) return { first: planned, all, found };
  const isEndUnknown = isReading || planned === expected.length;
  const begun = isEndUnknown ? Math.max(planned, missing / best) : planned;
  const fallen = (missing / meanYield) * (Math.sqrt(meanYield / perRecord) - 1);
  return { first: Math.max(1, Math.sqrt(begun * Math.max(1, fallen))), all, found };
}

function meanYieldOf({ expected, foundLately, pageSize }: SearchFacts): number {
  const next = expected.slice(0, NEXT_SEARCHES);
  const mean = next.reduce((sum, companies) => sum + companies, 0) / Math.max(1, next.length);
  return Math.min(pageSize, foundLately === null ? mean : Math.sqrt(mean * (foundLately + 0.1)));
}

const TAILS: Readonly<Record<Exclude<SearchBy, 'listing'>, number>> = {
  identifiers: 1.1,
  'name prefix': 20,
  'word prefix': 17,
  'whole word': 25,
  substring: 9,
};
const NEXT_SEARCHES = 5;
