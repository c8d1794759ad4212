import { stopLimit } from '../plan/discovery/stop_rule.ts';

/** How the remaining companies are searched for. */
export type SearchBy = 'listing' | 'identifiers' | 'name prefix' | 'word prefix' | 'whole word' | 'substring';

/** A search that the planner would send, as the first of the calls that read its listing. */
export interface PlannedSearch {
  /** The expected number of new companies for each of the calls. */
  readonly expected: number;
  readonly calls: number;
}

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
  /** The planner's next searches, in its order. */
  readonly searches: readonly PlannedSearch[];
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
 * Estimates the searches for `m` missing companies of `N`. The planner's next searches are assumed to be sent in their
 * order, and each listing to be read. A search that is expected to find `e` companies for each call finds `e · (1 − f/m)`
 * after `f` others were found. Searches come before due records until one of them finds no more than `v`.
 *
 * Until no search is due, the number of searches is
 *
 *     m/P + 9 · (m/K)^0.7 + tail · √N · (m / (N − m))^0.2 + stop
 *
 * - `9 · (m/K)^0.7`: the queries whose listings the cap `K` truncates, if it is below `N`.
 * - `tail`: the queries that split the registry (`TAILS`). Even few missing companies are in many parts of it.
 * - `stop`: the searches without a new company at the end. If the searches find all companies, few searches confirm the
 *   count. If some companies cannot be found, such as those with names in other scripts, the stop rule ends the searches.
 *
 * The lower end assumes that all companies can be found, and the upper end that some cannot. If searches find less
 * than half as much as expected, the number is at least a fifth of the upper end.
 *
 * The constants were measured in registries of 200 to 1,500 generated names and names from the Isle of Man. Nine of ten
 * of them needed a number of searches within the range, at any time of the search.
 */
export function searchCost(facts: SearchFacts): SearchCost {
  const { by, missing, pageSize, searches, perRecord, stopSearches } = facts;
  const growth: Growth[] = [{ calls: 0, found: 0 }];
  let [calls, found, first] = [0, 0, 0];
  let isWorthRecord = true;
  for (const search of searches) {
    const each = missing === 0 ? 0 : search.expected * (1 - found / missing);
    isWorthRecord &&= each > perRecord;
    calls += search.calls;
    found = Math.min(missing, found + each * search.calls);
    growth.push({ calls, found });
    if (isWorthRecord) first = calls;
  }
  const pages = Math.ceil(missing / pageSize) + stopSearches;
  const all = by === 'listing' ? { low: pages, high: pages } : searchesUntilDone(facts, by);
  return { first, all, found: (n) => foundBy(n, growth, missing) };
}

/** The companies that a number of calls finds. */
interface Growth {
  readonly calls: number;
  readonly found: number;
}

/** Returns the companies that `n` calls find. Calls after the planned ones find as many as the last of these. */
function foundBy(n: number, growth: readonly Growth[], missing: number): number {
  const at = growth.findIndex(({ calls }) => calls >= n);
  const [before, after] = at === -1 ? growth.slice(-2) : growth.slice(Math.max(0, at - 1), at + 1);
  if (before === undefined || after === undefined) return 0;
  const perCall = (after.found - before.found) / (after.calls - before.calls);
  return Math.min(missing, before.found + (n - before.calls) * perCall);
}

function searchesUntilDone(facts: SearchFacts, by: keyof typeof TAILS): SearchCost['all'] {
  const { missing, size, pageSize, window, stopSearches, areQueriesLong } = facts;
  const confirmed = { low: CONFIRMED.low * stopSearches, high: CONFIRMED.high * stopSearches };
  if (missing === 0) return confirmed;
  const listed = missing / pageSize + (size > window ? 9 * (missing / window) ** 0.7 : 0);
  const share = Math.min(1, (missing / Math.max(1, size - missing)) ** 0.2);
  const tails = TAILS[by];
  const [least, most] = areQueriesLong ? tails.long : tails.short;
  const givenUp = by === 'identifiers' ? 0 : stopLimit(UNREACHABLE * missing);
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

/** The lowest and the highest `tail`, if queries can have one character, and if they are longer. */
const TAILS: Readonly<
  Record<Exclude<SearchBy, 'listing'>, Readonly<Record<'short' | 'long', readonly [number, number]>>>
> = {
  identifiers: { short: [0, 2.5], long: [0.2, 5] },
  'name prefix': { short: [1.2, 9], long: [18, 60] },
  'word prefix': { short: [1.2, 15], long: [8, 16] },
  'whole word': { short: [10, 46], long: [10, 46] },
  substring: { short: [0.8, 2], long: [3, 14] },
};
/** The share of the missing companies that no search finds, if some cannot be found. */
const UNREACHABLE = 0.04;
// The bounds on the searches that confirm a count, as shares of their usual number.
const CONFIRMED = { low: 0.2, high: 1.3 };
/** The share of the listed pages that is needed at least, because other queries list some of the companies. */
const LISTED = 0.5;
const BEHIND = 1 / 5;
/** Added to both yields, so that very low yields do not differ much. */
const LEAST_YIELD = 0.05;
