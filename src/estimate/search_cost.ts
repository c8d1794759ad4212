import { type CallRange, exactly } from './call_range.ts';

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
  /** Whether single characters cannot be searched for. */
  readonly isMinLengthLong: boolean;
  /** The number of searches without a new company after which discovery gives up; 0 if the registry is counted. */
  readonly stopSearches: number;
}

/** The searches that find the missing companies. */
export interface SearchCost {
  /** All searches until none is due, and the companies that they find. */
  readonly all: Part;
  /** The searches that each find more than about one company, and these companies. Such searches come before records. */
  readonly productive: Part;
}

interface Part {
  readonly searches: CallRange;
  readonly companies: CallRange;
}

/**
 * Estimates the searches for `m` missing companies of `N`, with `P` companies on a page:
 *
 *     all        = m/P + splits · m/K + tail · (N/600)^0.55 + stop
 *     productive = (m/P + splits · m/K + head · (N/600)^0.55) · ln(y)/ln(P)
 *
 * - `K` is the cap. If it is below `N`, queries must be split until their listings are below it.
 * - `tail` and `head` depend on the kind of query (`COSTS`). They count the queries that split the registry.
 * - `y` is the expected yield of the best search. It starts near `P` and falls to 1 when productive searches end.
 * - `stop` is the limit of the stop rule if the registry is not counted.
 *
 * The productive searches find the share `found` of the missing companies, all searches the share `reach`. The constants
 * were measured in random registries of 600 and 2,400 companies (docs/planner.md).
 */
export function searchCost(facts: SearchFacts): SearchCost {
  const { by, missing, size, pageSize, window, bestYield, isMinLengthLong, stopSearches } = facts;
  const pages = Math.ceil(missing / pageSize);
  if (by === 'listing') {
    const part = { searches: exactly(pages), companies: exactly(missing) };
    return { all: part, productive: part };
  }
  const cost = COSTS[by];
  const listed = pages + (size > window ? (cost.splits * missing) / window : 0);
  const growth = (size / MEASURED_SIZE) ** GROWTH;
  const [tail, reach] = isMinLengthLong ? cost.longQueries : cost.queries;
  // Few missing companies are in few parts of the registry.
  const tailShare = Math.min(1, Math.sqrt(missing / Math.max(1, size - missing)));
  const all = Math.max(1, listed + tail * growth * tailShare + stopSearches);
  const decline = Math.min(1, Math.log(Math.max(1, bestYield)) / Math.log(Math.max(2, pageSize)));
  const productive = Math.min(all, (listed + cost.head * growth) * decline);
  return {
    all: {
      searches: around(all, SPREAD, pages),
      companies: { low: Math.floor(missing * reach), high: missing },
    },
    productive: {
      searches: around(productive, SPREAD, 0),
      companies: within(around(cost.found * missing * decline, SPREAD, 0), missing),
    },
  };
}

/**
 * Returns how many companies the first `searches` searches find. The productive searches find fewer companies as they go
 * on. The other searches find the remaining companies evenly.
 */
export function foundBy(
  { all, productive }: SearchCost,
  searches: CallRange,
  { by, missing }: Pick<SearchFacts, 'by' | 'missing'>,
): CallRange {
  const decline = by === 'listing' ? 1 : COSTS[by].decline;
  const made = middleOf(searches);
  const [first, total] = [middleOf(productive.searches), middleOf(all.searches)];
  const [firstFound, allFound] = [middleOf(productive.companies), middleOf(all.companies)];
  const shareOfRest = total > first ? Math.min(1, Math.max(0, made - first) / (total - first)) : 1;
  const found =
    made < first
      ? firstFound * (made / first) ** decline
      : firstFound + shareOfRest * Math.max(0, allFound - firstFound);
  return within(around(found, SPREAD, 0), missing);
}

/** Returns the geometric mean of a range's ends, or the lower end if the range has no upper end. */
export function middleOf({ low, high }: CallRange): number {
  return high === null ? low : Math.sqrt(low * high);
}

/** Returns the range whose ends differ from `value` by this factor. The lower end is at least `low`. */
export function around(value: number, factor: number, low: number): CallRange {
  const lowest = Math.max(low, Math.floor(value / factor));
  return { low: lowest, high: Math.max(lowest, Math.ceil(value * factor)) };
}

function within({ low, high }: CallRange, most: number): CallRange {
  return { low: Math.min(low, most), high: high === null ? most : Math.min(high, most) };
}

interface KindCost {
  /** The queries that split the registry in all, and the share of companies that they reach. */
  readonly queries: readonly [tail: number, reach: number];
  /** The same if queries need at least two characters. */
  readonly longQueries: readonly [tail: number, reach: number];
  /** The queries into which a truncated listing is split. */
  readonly splits: number;
  readonly head: number;
  readonly found: number;
  /** The first share `x` of the searches finds the share `x^decline` of the companies. */
  readonly decline: number;
}

const COSTS: Readonly<Record<Exclude<SearchBy, 'listing'>, KindCost>> = {
  identifiers: { queries: [22, 1], longQueries: [22, 1], splits: 4, head: 8, found: 0.9, decline: 0.8 },
  'name prefix': {
    queries: [430, 1],
    longQueries: [2400, 0.62],
    splits: 8,
    head: 30,
    found: 0.83,
    decline: 0.5,
  },
  'word prefix': {
    queries: [385, 0.98],
    longQueries: [1000, 0.95],
    splits: 30,
    head: 65,
    found: 0.75,
    decline: 0.5,
  },
  'whole word': {
    queries: [600, 0.88],
    longQueries: [560, 0.85],
    splits: 0,
    head: 60,
    found: 0.55,
    decline: 0.3,
  },
  substring: { queries: [210, 1], longQueries: [800, 0.95], splits: 30, head: 30, found: 0.85, decline: 0.5 },
};
const MEASURED_SIZE = 600;
const GROWTH = 0.55;
// The ends of each range differ from its middle by this factor, so that they differ by a factor of two.
const SPREAD = 1.4;
