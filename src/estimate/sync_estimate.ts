import { shownShareOf } from '../change_rate/listing_signal.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { DAY_MS } from '../durations.ts';
import type { Knowledge } from '../knowledge.ts';
import { windowOf } from '../names/query_matching.ts';
import { withInferredIdentifiers } from '../plan/discovery/identifier_rule.ts';
import { CHECK_SEARCHES, stopLimit } from '../plan/discovery/stop_rule.ts';
import { coveringQueries } from '../plan/refresh/covering_queries.ts';
import { listingOfAll, type RegistrySize, sizeOf } from '../plan/registry_size.ts';
import type { Focus } from '../planner.ts';
import { CHECKED_ROWS } from '../whole_listing.ts';
import { around, type CallRange, exactly, sumOf, unionOf, within } from './call_range.ts';
import {
  type SearchBy,
  type SearchCost,
  type Searches,
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
  const { knowledge, isStatsDue, recordsDue, bestSearch, left, focus } = ask;
  const dialect = withInferredIdentifiers(ask.dialect, knowledge);
  const size = sizeOf(knowledge, ask.dialect);
  const stats = exactly(isStatsDue ? 1 : 0);
  const repeated = repeatedListings(ask);
  const costWith = (rules: Dialect) => {
    const facts = bestSearch === null ? null : searchFacts(rules, { ...ask, bestSearch }, size);
    const cost = facts === null ? NO_SEARCHES : searchCost(facts);
    const whole = wholeOf(cost, facts, size.low - knowledge.knownCount(), size.high !== null);
    return { facts, cost, ...whole };
  };
  const whole = costWith(dialect);
  const cheapest = isPrefixPossible(dialect) ? costWith(withPrefixes(dialect)) : whole;
  const companies = unionOf(cheapest.companies, whole.companies);
  const search = sumOf([exactly(repeated.pages), unionOf(cheapest.search, whole.search)]);
  const entity = sumOf([exactly(recordsDue), repeated.records, companies]);
  const sum = sumOf([stats, search, entity]);
  const others = stats.low + repeated.pages + recordsDue + repeated.records.low;
  const middles = [cheapest.calls, whole.calls].map((calls) => around(others + calls, TOTAL_SPREAD));
  const isOneKind = stats.high === 0 && entity.high === 0;
  const total = sum.high === null || isOneKind ? sum : within(middles.reduce(unionOf), sum);
  const statistics = Math.min(left, stats.low);
  const nextParts = [cheapest, whole].map(({ facts, cost }) => {
    const due = {
      ...cost,
      rest: { ...cost.rest, searches: cost.rest.searches + repeated.pages },
      records: recordsDue + repeated.flagged,
      pageSize: dialect.search.paging.size,
      isCounted: facts === null || size.high !== null,
      isListing: facts?.by === 'listing',
    };
    return partsOf(left - statistics, due, focus);
  });
  const parts =
    (total.high ?? Infinity) <= left
      ? { searches: search, records: entity, companies }
      : {
          searches: nextParts.map(({ searches }) => searches).reduce(unionOf),
          records: nextParts.map(({ records }) => records).reduce(unionOf),
          companies: within(nextParts.map((part) => part.companies).reduce(unionOf), {
            low: 0,
            high: companies.high,
          }),
        };
  // Searches that find an unknown number of companies can outnumber the calls that are due in any case.
  const least = Math.max(total.low, statistics + parts.searches.low + parts.records.low);
  const calls = { low: Math.min(left, least), high: finite(Math.min(left, total.high ?? Infinity)) };
  return {
    ...{ stats, search, entity, total, companies, size, priceDays: ask.priceDays },
    nextRun: { calls, statistics: exactly(statistics), ...parts },
  };
}

/** Until a search has shown whether identifiers are searched by prefix, the estimate covers both cases. */
function isPrefixPossible({ search }: Dialect): boolean {
  return search.identifiers === 'unknown';
}

function withPrefixes(dialect: Dialect): Dialect {
  return { ...dialect, search: { ...dialect.search, identifiers: 'prefix' } };
}

/**
 * Returns the searches until none is due, and the companies that they find. Without an upper bound on the registry's
 * size, only the companies that it has at least are counted.
 */
function wholeOf(
  { productive, rest }: SearchCost,
  facts: SearchFacts | null,
  leastMissing: number,
  isBounded: boolean,
) {
  const searches = productive.searches + rest.searches;
  const companies = productive.companies + rest.companies;
  if (facts === null || (facts.by === 'listing' && isBounded)) {
    const search = { low: searches, high: searches + Math.min(rest.searches, CHECK_SEARCHES) };
    return { search, companies: exactly(companies), calls: searches + companies };
  }
  if (!isBounded) {
    const pages = Math.max(1, Math.ceil(leastMissing / facts.pageSize));
    return { search: { low: pages, high: null }, companies: { low: leastMissing, high: null }, calls: pages };
  }
  return {
    search: around(searches, SPREAD, Math.ceil(facts.missing / facts.pageSize)),
    companies: { low: Math.floor(companies), high: facts.missing },
    calls: searches + companies,
  };
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
  const by = searchedBy(dialect, knowledge, total);
  return {
    by,
    missing: Math.max(0, total - known),
    size: total,
    pageSize: paging.size,
    window: windowOf(dialect),
    bestYield: bestSearch,
    minLength: min_length,
    stopSearches: by === 'listing' ? listingChecks(dialect, knowledge) : stopSearches(dialect, knowledge),
  };
}

/** The planner knows of no more than one page of missing companies. */
function stopSearches({ search }: Dialect, knowledge: Knowledge): number {
  return knowledge.latestStats()?.total == null ? stopLimit(search.paging.size) : CHECK_SEARCHES;
}

/** A listing without a query that the statistics do not confirm is compared with the results of other searches. */
function listingChecks({ search }: Dialect, knowledge: Knowledge): number {
  if (search.query_param === null || knowledge.latestStats()?.total != null) return 0;
  return Math.min(CHECK_SEARCHES, Math.ceil(CHECKED_ROWS / search.paging.size));
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
  const due = coveringQueries(knowledge).filter(({ listedAtMs }) => listedAtMs < listingsBeforeMs);
  const estimates = knowledge.changeEstimates();
  const { shape, meanPerDay } = estimates.prior;
  const shown = shownShareOf(estimates);
  let [pages, flagged] = [0, 0];
  for (const { pages: own, rows, listedAtMs } of due) {
    const days = (nowMs - listedAtMs) / DAY_MS;
    pages += Math.max(1, own);
    flagged += rows * (1 - (1 + (shown * meanPerDay * days) / shape) ** -shape);
  }
  return { pages, flagged, records: around(flagged, 2) };
}

/** The due calls. */
interface DueCalls extends SearchCost {
  readonly records: number;
  readonly pageSize: number;
  /** Whether the number of missing companies has an upper bound. */
  readonly isCounted: boolean;
  /** Whether the missing companies are on the next pages of one listing. */
  readonly isListing: boolean;
}

/**
 * Estimates a run with `room` calls, if more calls are due. The number of searches that find a given number of companies
 * is uncertain by the factor `SPREAD`, except for the pages of one listing. If the companies are not counted, both kinds
 * may use all calls.
 */
function partsOf(room: number, due: DueCalls, focus: Focus): Omit<NextRun, 'calls' | 'statistics'> {
  const scaled = (one: Searches, factor: number) => ({ ...one, searches: one.searches * factor });
  if (!due.isCounted) {
    const any = { low: 0, high: finite(room) };
    return { searches: any, records: any, companies: { low: 0, high: null } };
  }
  const split = (factor: number) =>
    splitRun(
      room,
      { ...due, productive: scaled(due.productive, factor), rest: scaled(due.rest, factor) },
      focus,
    );
  const spread = due.isListing ? 1 : SPREAD;
  const [few, many] = [split(1 / spread), split(spread)];
  return {
    searches: between(few.searches, many.searches),
    records: between(few.records, many.records),
    companies: around(Math.sqrt(few.companies * many.companies), due.isListing ? 1 : SPREAD_OF_COMPANIES),
  };
}

interface RunParts extends Searches {
  readonly records: number;
}

/**
 * Splits a run's calls into searches and records. The searches that come before records depend on the focus. The others
 * follow when no record is due, and the record of each company that they find comes before the next search.
 */
function splitRun(
  room: number,
  { productive, rest, records: due, pageSize }: DueCalls,
  focus: Focus,
): RunParts {
  const first = focus === 'balanced' ? [productive] : focus === 'coverage' ? [productive, rest] : [];
  const later = [productive, rest].slice(first.length);
  let [searches, records, companies] = [0, 0, 0];
  for (const one of first) {
    const made = Math.min(one.searches, room - searches);
    searches += made;
    companies += foundBy(one, made, pageSize);
  }
  records = Math.min(due + companies, room - searches);
  for (const one of later) {
    const perSearch = one.companies / Math.max(1, one.searches);
    const made = Math.min(one.searches, (room - searches - records) / (1 + perSearch));
    searches += made;
    records += made * perSearch;
    companies += made * perSearch;
  }
  return { searches, records, companies };
}

/**
 * Returns how many companies the first `n` of `s` searches find, if all of them find `c`. The first search finds a page of
 * `P` companies, and the later ones fewer:
 *
 *     c · (1 − (1 − n/s)^(P · s/c))
 */
function foundBy({ searches, companies }: Searches, made: number, pageSize: number): number {
  if (searches === 0 || companies === 0) return 0;
  return companies * (1 - (1 - made / searches) ** Math.max(1, (pageSize * searches) / companies));
}

function finite(value: number): number | null {
  return value === Infinity ? null : value;
}

function between(one: number, other: number): CallRange {
  return { low: Math.floor(Math.min(one, other)), high: Math.ceil(Math.max(one, other)) };
}

const NO_SEARCHES: SearchCost = {
  productive: { searches: 0, companies: 0 },
  rest: { searches: 0, companies: 0 },
};
// The ends of a range differ from its middle by this factor.
const SPREAD = 1.3;
const SPREAD_OF_COMPANIES = 1.4;
const TOTAL_SPREAD = 1.22;
