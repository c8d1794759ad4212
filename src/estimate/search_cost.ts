import { PROVEN_FACTOR, stopLimit } from '../plan/discovery/stop_rule.ts';

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
  /** The mean number that each of them was expected to find; null if none was sent. */
  readonly expectedLately: number | null;
  /** Whether the upstream rejects queries of one character. No short query then shows which companies are missing. */
  readonly areQueriesLong: boolean;
  /** `v`: the number of new companies that are worth as much as a due record. */
  readonly perRecord: number;
  /** The number of searches without a new company at the end. */
  readonly stopSearches: number;
}

export interface SearchCost {
  /** The number of searches that come before due records. */
  readonly first: number;
  /** The lowest and the highest number of searches until none is due. */
  readonly all: { readonly low: number; readonly high: number };
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
 * - `stop`: the searches without a new company at the end. If the searches find all companies, few searches confirm the
 *   count. If some companies cannot be found, such as those with names in other scripts, the stop rule ends the searches.
 *
 * The lower end assumes that all companies can be found, and the upper end that some cannot. If searches find less
 * than half as much as expected, the number is at least a sixth of the upper end.
 *
 * The constants were measured in registries of 200 to 1,500 generated names and names from the Isle of Man. Nine of ten
 * of them needed a number of searches within the range, at any time of the search.
 */
export function searchCost(facts: SearchFacts): SearchCost {
  const { by, missing, pageSize, expected, isReading, perRecord, stopSearches } = facts;
  if (by === 'listing') {
    const pages = Math.ceil(missing / pageSize);
    const first = pageSize > perRecord ? pages : 0;
    const all = { low: pages + stopSearches, high: pages + stopSearches };
    return { first, all, found: (n) => Math.min(missing, n * pageSize) };
  }
  const meanYield = meanYieldOf(facts);
  const found = (n: number) => 1 / (1 / (n * meanYield) + 1 / missing);
  const all = searchesUntilDone(facts, by);
  const best = expected[0] ?? 0;
  if (best <= perRecord) return { first: 0, all, found };
  const planned = expected.filter((companies) => companies > perRecord).length;
  if (missing === Infinity) return { first: planned, all, found };
  const isEndUnknown = isReading || planned === expected.length;
  const begun = isEndUnknown ? Math.max(planned, missing / best) : planned;
  const fallen = (missing / meanYield) * (Math.sqrt(meanYield / perRecord) - 1);
  return { first: Math.max(1, Math.sqrt(begun * Math.max(1, fallen))), all, found };
}

function searchesUntilDone(facts: SearchFacts, by: keyof typeof TAILS): SearchCost['all'] {
  const { missing, size, pageSize, window, stopSearches, areQueriesLong } = facts;
  const confirmed = { low: CONFIRMED.low * stopSearches, high: CONFIRMED.high * stopSearches };
  if (missing === 0) return confirmed;
  const listed = missing / pageSize + (size > window ? 9 * (missing / window) ** 0.7 : 0);
  const share = Math.min(1, (missing / Math.max(1, size - missing)) ** 0.2);
  const tails = TAILS[by];
  const [least, most] = areQueriesLong ? tails.long : tails.short;
  const givenUp = by === 'identifiers' ? 0 : PROVEN_FACTOR * stopLimit(missing);
  const split = Math.sqrt(size) * share;
  const high = listed + most * split + Math.max(givenUp, confirmed.high);
  const low = LISTED * listed + least * split + confirmed.low;
  return { low: isBehind(facts) ? Math.max(low, BEHIND * high) : low, high };
}

/** Returns whether the last searches found less than half of what they were expected to find. */
function isBehind({ foundLately, expectedLately }: SearchFacts): boolean {
  if (foundLately === null || expectedLately === null) return false;
  return foundLately + LEAST_YIELD < (expectedLately + LEAST_YIELD) / 2;
}

function meanYieldOf({ expected, foundLately, pageSize }: SearchFacts): number {
  const next = expected.slice(0, NEXT_SEARCHES);
  const mean = next.reduce((sum, companies) => sum + companies, 0) / Math.max(1, next.length);
  return Math.min(pageSize, foundLately === null ? mean : Math.sqrt(mean * (foundLately + 0.1)));
}

/** The lowest and the highest `tail`, if queries can have one character, and if they are longer. */
const TAILS: Readonly<
  Record<Exclude<SearchBy, 'listing'>, Readonly<Record<'short' | 'long', readonly [number, number]>>>
> = {
  identifiers: { short: [0, 2.5], long: [0.2, 5] },
  'name prefix': { short: [1.2, 14], long: [20, 65] },
  'word prefix': { short: [1, 10], long: [6, 22] },
  'whole word': { short: [7, 40], long: [7, 40] },
  substring: { short: [0.8, 2], long: [3, 16] },
};
// The bounds on the searches that confirm a count, as shares of their usual number.
const CONFIRMED = { low: 0.2, high: 1.3 };
/** The share of the listed pages that is needed at least, because other queries list some of the companies. */
const LISTED = 0.5;
const BEHIND = 1 / 6;
/** Added to both yields, so that very low yields do not differ much. */
const LEAST_YIELD = 0.05;
const NEXT_SEARCHES = 5;
