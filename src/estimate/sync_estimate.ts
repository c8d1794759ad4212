import { shownShareOf } from '../change_rate/listing_signal.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { DAY_MS } from '../durations.ts';
import type { Knowledge } from '../knowledge.ts';
import { windowOf } from '../names/query_matching.ts';
import { withInferredIdentifiers } from '../plan/discovery/identifier_rule.ts';
import { coveringQueries } from '../plan/refresh/covering_queries.ts';
import { listingOfAll, type RegistrySize, sizeOf } from '../plan/registry_size.ts';
import type { Focus } from '../planner.ts';
import { type CallRange, exactly, sumOf, within } from './call_range.ts';
import {
  around,
  foundBy,
  middleOf,
  type SearchBy,
  type SearchCost,
  type SearchFacts,
  searchCost,
} from './search_cost.ts';

/** The estimated calls until nothing is due, and the companies that these calls find. */
export interface SyncEstimate {
  readonly stats: CallRange;
  readonly search: CallRange;
  readonly entity: CallRange;
  /** The total number of calls. The range can be narrower than the sum over the kinds. */
  readonly total: CallRange;
  /** The number of new companies that these calls find. */
  readonly companies: CallRange;
  readonly size: RegistrySize;
  /** The lowest value, in days, at which a refresh call is sent; 0 if every due call is sent. */
  readonly priceDays: number;
  /** The calls of the next run, which ends when the quota is used up. */
  readonly nextRun: NextRun;
}

export interface NextRun {
  readonly calls: CallRange;
  readonly statistics: CallRange;
  readonly searches: CallRange;
  readonly records: CallRange;
  /** The number of new companies that these searches find. */
  readonly companies: CallRange;
}

export interface SyncEstimateInput {
  readonly knowledge: Knowledge;
  readonly dialect: Dialect;
  readonly isStatsDue: boolean;
  /** The number of known companies with a due record. */
  readonly recordsDue: number;
  /** The expected yield of the planner's best search for new companies; null if the planner has none. */
  readonly bestSearch: number | null;
  /** Listings from before this time are due again. */
  readonly listingsBeforeMs: number;
  readonly nowMs: number;
  /** The lowest value, in days, at which a refresh call is sent; 0 if every due call is sent. */
  readonly priceDays: number;
  readonly focus: Focus;
  /** The number of calls that the next run can make. Infinity means no limit. */
  readonly left: number;
}

/**
 * Estimates the calls for a sync from the planner's own counts. Due records and due listings are counted. The searches
 * for missing companies follow from `searchCost`. Each company that a search finds adds one record call.
 */
export function estimateSync(ask: SyncEstimateInput): SyncEstimate {
  const { knowledge, isStatsDue, recordsDue } = ask;
  const dialect = withInferredIdentifiers(ask.dialect, knowledge);
  const size = sizeOf(knowledge, ask.dialect);
  const stats = exactly(isStatsDue ? 1 : 0);
  const repeated = repeatedListings(ask);
  const due = sumOf([exactly(recordsDue), repeated.records]);
  const missing = { low: size.low - knowledge.knownCount(), high: missingOf(size, knowledge) };
  const facts =
    ask.bestSearch === null ? null : searchFacts(dialect, { ...ask, bestSearch: ask.bestSearch }, size);
  const cost = facts === null ? NO_SEARCH : searchCost(facts);
  const isOpen = facts !== null && missing.high === null;
  // Without an upper bound, only the companies that the registry has at least are counted.
  const atLeast = (calls: number): CallRange => ({ low: calls, high: null });
  const pages = Math.max(1, Math.ceil(missing.low / dialect.search.paging.size));
  const search = sumOf([exactly(repeated.pages), isOpen ? atLeast(pages) : cost.all.searches]);
  const companies = isOpen ? atLeast(missing.low) : cost.all.companies;
  const entity = sumOf([due, companies]);
  const parts = sumOf([stats, search, entity]);
  const middle =
    sumOf([stats, exactly(repeated.pages), due]).low +
    middleOf(cost.all.searches) +
    middleOf(cost.all.companies);
  const total = isOpen ? parts : within(around(middle, TOTAL_SPREAD, 0), parts);
  const nextRun = nextRunOf(
    { stats: stats.low, total, entity, repeatedPages: repeated.pages, cost, facts, isOpen },
    ask,
  );
  return { stats, search, entity, total, companies, size, priceDays: ask.priceDays, nextRun };
}

function missingOf({ high }: RegistrySize, knowledge: Knowledge): number | null {
  return high === null ? null : high - knowledge.knownCount();
}

function searchFacts(
  dialect: Dialect,
  { knowledge, bestSearch }: SyncEstimateInput & { readonly bestSearch: number },
  size: RegistrySize,
): SearchFacts {
  const { paging, min_length } = dialect.search;
  const known = knowledge.knownCount();
  // Without an upper bound, at least one more page of companies is expected.
  const total = Math.max(size.high ?? size.low, known + (size.by === 'statistics' ? 0 : 1));
  return {
    by: searchedBy(dialect, knowledge, total),
    missing: Math.max(0, total - known),
    size: total,
    pageSize: paging.size,
    window: windowOf(dialect),
    bestYield: bestSearch,
    isMinLengthLong: min_length > 1,
    stopSearches: knowledge.latestStats()?.total == null ? STOP + STOP_PER_ROOT * Math.sqrt(paging.size) : 0,
  };
}

function searchedBy(dialect: Dialect, knowledge: Knowledge, size: number): SearchBy {
  const { min_length, identifiers, identifier_param, matches } = dialect.search;
  const listing = min_length === 0 ? listingOfAll(knowledge.queries(), dialect) : null;
  if (min_length === 0 && size <= windowOf(dialect) && (listing?.status ?? 'open') === 'open')
    return 'listing';
  // If one parameter searches both, an identifier's prefix also matches inside names.
  const isMixed = identifier_param === null && matches === 'substring';
  if (identifiers === 'prefix' && !isMixed) return 'identifiers';
  switch (matches) {
    case 'prefix':
      return 'name prefix';
    case 'token':
      return 'whole word';
    case 'substring':
      return 'substring';
    default:
      return 'word prefix';
  }
}

/**
 * Counts the pages of the listings that are due again. A listing shows a change in `1 − (1 + v·m·t/k)^−k` of its
 * companies. `v` is the share of changes that listings show, and `t` the listing's age in days. The change rates have a
 * Gamma prior with shape `k` and mean `m`, of which this is the Laplace transform.
 */
function repeatedListings({ knowledge, listingsBeforeMs, nowMs }: SyncEstimateInput) {
  const due = coveringQueries([...knowledge.queries()]).filter(
    ({ listedAtMs }) => listedAtMs < listingsBeforeMs,
  );
  const estimates = knowledge.changeEstimates();
  const { shape, meanPerDay } = estimates.prior;
  const shown = shownShareOf(estimates);
  let [pages, flagged] = [0, 0];
  for (const { pages: own, rows, listedAtMs } of due) {
    const days = (nowMs - listedAtMs) / DAY_MS;
    pages += Math.max(1, own);
    flagged += rows * (1 - (1 + (shown * meanPerDay * days) / shape) ** -shape);
  }
  return { pages, records: around(flagged, 2, 0) };
}

interface RunParts {
  readonly stats: number;
  readonly total: CallRange;
  readonly repeatedPages: number;
  /** The due records and the records of the companies that searches find. */
  readonly entity: CallRange;
  readonly cost: SearchCost;
  readonly facts: SearchFacts | null;
  readonly isOpen: boolean;
}

/**
 * Estimates the next run. Under `balanced`, productive searches come first, then records, then the other searches. Under
 * `coverage`, all searches come before records. Under `records` and `freshness`, records come before searches.
 */
function nextRunOf(parts: RunParts, { left, focus }: SyncEstimateInput): NextRun {
  const { total, repeatedPages, entity, cost, facts, isOpen } = parts;
  const statistics = Math.min(left, parts.stats);
  const room = left - statistics;
  const leading = leadingSearches(cost, focus);
  const scenario = (bound: 'low' | 'high') => {
    const all =
      repeatedPages + (isOpen && bound === 'high' ? Infinity : (cost.all.searches[bound] ?? Infinity));
    const records = entity[bound === 'low' ? 'high' : 'low'] ?? Infinity;
    const first = Math.min(room, all, leading.searches[bound] ?? Infinity);
    const searches = first + Math.max(0, Math.min(all - first, room - first - records));
    return { searches, records: Math.min(room - searches, records) };
  };
  const [few, many] = [scenario('low'), scenario('high')];
  const searches = between(few.searches, many.searches);
  return {
    calls: between(Math.min(left, total.low), Math.min(left, total.high ?? Infinity)),
    statistics: exactly(statistics),
    searches,
    records: between(few.records, many.records),
    companies: facts === null ? exactly(0) : foundBy(cost, searches, facts),
  };
}

/** Returns the searches that come before records. */
function leadingSearches(cost: SearchCost, focus: Focus): SearchCost['all'] {
  switch (focus) {
    case 'coverage':
      return cost.all;
    case 'records':
    case 'freshness':
      return NOTHING;
    case 'balanced':
      return cost.productive;
  }
}

function between(one: number, other: number): CallRange {
  const high = Math.max(one, other);
  return { low: Math.min(one, other), high: high === Infinity ? null : high };
}

const NOTHING = { searches: exactly(0), companies: exactly(0) };
const NO_SEARCH: SearchCost = { all: NOTHING, productive: NOTHING };
const TOTAL_SPREAD = 1.22;
// The stop rule's limit, of which the planner knows no more than one page of missing companies (stop_rule.ts).
const STOP = 120;
const STOP_PER_ROOT = 10;
