/** How the remaining companies are searched for. */
export type SearchBy = 'listing' | 'identifiers' | 'name prefix' | 'word prefix' | 'whole word' | 'substring';

export interface SearchFacts {
  readonly by: SearchBy;
  /** The number of companies in the registry that are not known yet. */
  readonly missing: number;
  /** The number of companies in the registry. */
  readonly size: number;
  readonly pageSize: number;
  /** The cap: the maximum number of results that one query can return, or Infinity if there is no cap. */
  readonly window: number;
  /** The expected yield of the planner's best search. */
  readonly bestYield: number;
  /** The lowest number of characters in a query. */
  readonly minLength: number;
  /**
   * The number of searches without a new company at the end: those that confirm the registry count or, without one, those
   * after which discovery gives up.
   */
  readonly stopSearches: number;
}

/** A number of searches, and the number of companies that they find. */
export interface Searches {
  readonly searches: number;
  readonly companies: number;
}

export interface SearchCost {
  /** The searches that are each expected to find more than one company. Under `balanced`, they come before records. */
  readonly productive: Searches;
  /** The other searches until none is due. */
  readonly rest: Searches;
}

/**
 * Estimates the searches for `m` missing companies of `N`, with `P` companies on a page:
 *
 *     c          = max(y, m − left)
 *     productive = c/P + splits · (c/K)^0.7 + head · (c / (N − left))^0.4
 *     all        = m/P + splits · (m/K)^0.7 + tail · √(m / (N − m)) + stop
 *
 * - `c`: the companies that productive searches find. `y` is the expected yield of the best search. The other `left`
 *   companies are in parts of the registry with at most one company for a search.
 * - `K` is the cap. If it is below `N`, queries must be split until their listings are below it.
 * - `head` and `tail`: the queries that split the registry, until no search is productive and until none is due. Few
 *   missing companies are in few parts of the registry.
 * - `stop`: the searches without a new company at the end.
 *
 * If `y < 1`, no search is productive. All searches find the share `reach` of the missing companies. The constants
 * (`COSTS`) were measured in 141 random registries with 300 to 2,400 companies.
 */
export function searchCost(facts: SearchFacts): SearchCost {
  const { by, missing, size, pageSize, window, bestYield, minLength, stopSearches } = facts;
  if (by === 'listing')
    return {
      productive: { searches: Math.ceil(missing / pageSize), companies: missing },
      rest: { searches: stopSearches, companies: 0 },
    };
  const costs = COSTS[by];
  const cost = costs[Math.max(0, Math.min(minLength, costs.length) - 1)] as KindCost;
  const at = ([measured, growth]: Growing) => measured * (size / MEASURED_SIZE) ** growth;
  const listed = (companies: number) =>
    companies / pageSize + (size > window ? cost.splits * (companies / window) ** 0.7 : 0);
  const left = Math.min(size, at(cost.left));
  const companies = bestYield < 1 ? 0 : Math.min(missing, Math.max(bestYield, missing - left));
  const headShare = Math.min(1, (companies / Math.max(1, size - left)) ** 0.4);
  const searches = companies === 0 ? 0 : Math.max(1, listed(companies) + at(cost.head) * headShare);
  const tailShare = Math.min(1, Math.sqrt(missing / Math.max(1, size - missing)));
  const all = Math.max(1, searches, listed(missing) + at(cost.tail) * tailShare + stopSearches);
  return {
    productive: { searches, companies },
    rest: { searches: all - searches, companies: Math.max(0, cost.reach * missing - companies) },
  };
}

/** A number that was measured in registries with 600 companies, and the power of the size with which it grows. */
type Growing = readonly [measured: number, growth: number];

interface KindCost {
  readonly left: Growing;
  readonly head: Growing;
  readonly tail: Growing;
  /** The queries into which a truncated listing is split. */
  readonly splits: number;
  readonly reach: number;
}

/** The costs by the lowest number of characters in a query. The last ones also apply to longer queries. */
const COSTS: Readonly<Record<Exclude<SearchBy, 'listing'>, readonly KindCost[]>> = {
  identifiers: [{ left: [120, 1], head: [3, 0.3], tail: [28, 0], splits: 16, reach: 1 }],
  'name prefix': [
    { left: [100, 0.6], head: [32, 0.35], tail: [430, 0.1], splits: 4, reach: 1 },
    { left: [600, 1], head: [0, 0], tail: [1700, 0.5], splits: 4, reach: 0.65 },
  ],
  'word prefix': [
    { left: [85, 0.8], head: [42, 0.7], tail: [310, 0.4], splits: 14, reach: 0.99 },
    { left: [90, 0.8], head: [95, 0.6], tail: [800, 0.5], splits: 14, reach: 0.95 },
  ],
  'whole word': [{ left: [240, 0.95], head: [70, 0.7], tail: [600, 0.5], splits: 2, reach: 0.88 }],
  substring: [
    { left: [65, 1], head: [50, 0.5], tail: [185, 0.6], splits: 9, reach: 1 },
    { left: [115, 0.9], head: [75, 0.5], tail: [500, 0.5], splits: 9, reach: 0.95 },
    { left: [45, 0], head: [180, 0.8], tail: [560, 0.2], splits: 9, reach: 0.99 },
  ],
};
const MEASURED_SIZE = 600;
