import { shownShareOf } from '../change_rate/listing_signal.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { DAY_MS } from '../durations.ts';
import type { Knowledge, QueryState } from '../knowledge.ts';
import { lowerBound } from '../names/ordered_texts.ts';
import { windowOf } from '../names/query_matching.ts';
import type { Discovery } from '../plan/discovery/discovery.ts';
import { withInferredIdentifiers } from '../plan/discovery/identifier_rule.ts';
import { CHECK_SEARCHES, StopRule, stopLimit } from '../plan/discovery/stop_rule.ts';
import { companiesPerRecord } from '../plan/refresh/call_valuation.ts';
import { coveringQueries, isOutdatedByCount } from '../plan/refresh/covering_queries.ts';
import { listingOfAll, type RegistrySize, sizeOf } from '../plan/registry_size.ts';
import type { Focus } from '../planner.ts';
import { CHECKED_ROWS } from '../whole_listing.ts';
import { around, type CallRange, exactly, narrow, sumOf } from './call_range.ts';
import { type PlannedSearch, type SearchBy, type SearchCost, searchCost } from './search_cost.ts';

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
  /** The planner's next searches for new companies, best first (`nextSearches`). */
  readonly searches: readonly PlannedSearch[];
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
 * for missing companies follow from the planner's next searches (`searchCost`). Each company that a search finds adds one
 * record call.
 */
export function estimateSync(ask: SyncEstimateInput): SyncEstimate {
  const { knowledge, isStatsDue, recordsDue, left } = ask;
  const size = sizeOf(knowledge, ask.dialect);
  const stats = exactly(isStatsDue ? 1 : 0);
  const repeated = repeatedListings(ask);
  const cost = ask.searches.length === 0 ? NO_SEARCHES : costOf(ask, size);
  const whole = wholeOf(ask, cost, size);
  const search = sumOf([exactly(repeated.pages), whole.searches]);
  const entity = sumOf([exactly(recordsDue), repeated.records, whole.companies]);
  // The fewest searches are needed if they find all companies, which then need a record each.
  const found = { low: whole.companies.high ?? whole.companies.low, high: whole.companies.high };
  const total = sumOf([stats, search, exactly(recordsDue), repeated.records, found]);
  const statistics = Math.min(left, stats.low);
  const due = { records: recordsDue + repeated.flagged, pages: repeated.pages };
  const parts =
    (total.high ?? Infinity) <= left
      ? { searches: search, records: entity, companies: whole.companies }
      : partsOf(left - statistics, ask.dialect.search.paging.size, cost, due);
  // Searches that find an unknown number of companies can outnumber the calls that are due in any case.
  const least = Math.max(total.low, statistics + parts.searches.low + parts.records.low);
  const calls = { low: Math.min(left, least), high: finite(Math.min(left, total.high ?? Infinity)) };
  return {
    stats,
    search,
    entity,
    total,
    companies: whole.companies,
    size,
    priceDays: ask.priceDays,
    nextRun: {
      calls,
      statistics: exactly(statistics),
      searches: narrow(parts.searches),
      records: narrow(parts.records),
      companies: narrow(parts.companies),
    },
  };
}

/** Returns the searches that the planner would send next if they found nothing. They are then in flight. */
export function nextSearches(discovery: Discovery, nowMs: number): PlannedSearch[] {
  const searches: PlannedSearch[] = [];
  while (searches.length < PLANNED_SEARCHES) {
    const search = discovery.next(nowMs);
    if (search === null) break;
    searches.push({ expected: search.expected, calls: discovery.callsFor(search) });
  }
  return searches;
}

/** The cost of the searches, and what is known about the missing companies. */
interface MissingCost extends SearchCost {
  /** Infinity if the registry is not counted. */
  readonly missing: number;
  /** Whether the missing companies are on the next pages of one listing. */
  readonly isListing: boolean;
  /** Whether the registry is counted and enough companies are known to estimate what searches find. */
  readonly isBegun: boolean;
}

function costOf(ask: SyncEstimateInput, size: RegistrySize): MissingCost {
  const { knowledge, searches, focus } = ask;
  const dialect = withInferredIdentifiers(ask.dialect, knowledge);
  const known = knowledge.existingCount();
  // Without a registry count, at least one more page of companies is expected.
  const total = Math.max(size.high ?? size.low, known + (size.by === 'statistics' ? 0 : 1));
  const by = searchedBy(dialect, knowledge, total);
  const missing = size.high === null ? Infinity : total - known;
  const latest = [...Iterator.from(knowledge.latestSearches()).take(LATEST_SEARCHES)];
  const cost = searchCost({
    by,
    missing,
    size: total,
    pageSize: dialect.search.paging.size,
    window: windowOf(dialect),
    searches,
    foundLately: meanOf(latest.map(({ found }) => found)),
    expectedLately: meanOf(latest.map(({ expected }) => expected)),
    areQueriesLong: dialect.search.min_length > 1,
    perRecord: companiesPerRecord(focus),
    stopSearches: by === 'listing' ? listingChecks(dialect, knowledge) : stopSearches(dialect, knowledge),
  });
  const isListing = by === 'listing';
  return { ...cost, missing, isListing, isBegun: isListing || known >= BEGUN * (known + missing) };
}

/**
 * Returns the searches until none is due, and the companies that they find. Without an upper bound on the registry's
 * size, only the searches until discovery gives up and the companies that the registry has at least are counted.
 */
function wholeOf(
  { knowledge, dialect, searches, isStatsDue }: SyncEstimateInput,
  { all, missing, isListing }: MissingCost,
  size: RegistrySize,
): { readonly searches: CallRange; readonly companies: CallRange } {
  const { size: pageSize } = dialect.search.paging;
  if (missing === Infinity) {
    const least = size.low - knowledge.existingCount();
    // Statistics can show that no company is missing.
    const untilStop = isStatsDue ? 1 : stopLimit(pageSize) - new StopRule(knowledge).emptySearches;
    const fewest = Math.max(Math.ceil(least / pageSize), Math.min(searches.length, Math.floor(untilStop)));
    return { searches: { low: fewest, high: null }, companies: { low: least, high: null } };
  }
  if (isListing || searches.length === 0) return { searches: exactly(all.low), companies: exactly(missing) };
  return {
    searches: between(Math.max(all.low, missing / pageSize), all.high),
    companies: { low: Math.floor(REACHED * missing), high: missing },
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
function repeatedListings({ knowledge, dialect, listingsBeforeMs, nowMs }: SyncEstimateInput) {
  const hasQueries = dialect.search.query_param !== null;
  const isDue = (listing: QueryState) =>
    listing.listedAtMs < listingsBeforeMs || isOutdatedByCount(listing, knowledge, hasQueries);
  const due = coveringQueries(knowledge).filter(isDue);
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

/** The calls that are due besides searches for new companies. */
interface DueCalls {
  readonly records: number;
  /** The pages of listings that are due again. */
  readonly pages: number;
}

/** Estimates a run with `room` calls, if more calls are due. */
function partsOf(
  room: number,
  pageSize: number,
  cost: MissingCost,
  due: DueCalls,
): Omit<NextRun, 'calls' | 'statistics'> {
  const { first, all, missing, isListing, isBegun } = cost;
  if (!isBegun) return unknownParts(room, pageSize, missing, due);
  const isExact = isListing || first === 0;
  const fewest = isExact ? first : Math.max(0, FEWER * first - 1);
  const most = isExact ? first : MORE * first + 10;
  const [worse, better, burst] = isListing ? [1, 1, 0] : [WORSE, BETTER, pageSize];
  const few = splitRun(room, cost, due, { first: fewest, all: all.low, factor: better, burst });
  const many = splitRun(room, cost, due, { first: most, all: all.high, factor: worse, burst: 0 });
  const likely = splitRun(room, cost, due, {
    first,
    all: Math.sqrt(all.low * all.high),
    factor: 1,
    burst: 0,
  });
  const isCertain = !isListing && few.searches === many.searches;
  const [least, greatest] = isCertain ? CERTAIN : [worse, better];
  return {
    searches: between(few.searches, many.searches),
    records: between(few.records, many.records),
    companies: {
      low: Math.floor(least * likely.companies),
      high: Math.ceil(Math.min(missing, greatest * likely.companies + (isCertain ? 0 : burst))),
    },
  };
}

/** Returns the upper bounds on a run's parts. */
function unknownParts(
  room: number,
  pageSize: number,
  missing: number,
  due: DueCalls,
): Omit<NextRun, 'calls' | 'statistics'> {
  return {
    searches: { low: 0, high: room },
    records: { low: 0, high: Math.min(room, due.records + missing) },
    companies: { low: 0, high: missing === Infinity ? null : Math.min(missing, room * pageSize) },
  };
}

interface Scenario {
  /** The searches before due records. */
  readonly first: number;
  /** The searches until none is due. */
  readonly all: number;
  /** The companies found, as a multiple of those that are expected. */
  readonly factor: number;
  /** Further companies, which are found on one page. */
  readonly burst: number;
}

interface RunParts {
  readonly searches: number;
  readonly records: number;
  readonly companies: number;
}

/**
 * Splits a run's calls into searches and records. The first searches come before due records. The others follow when no
 * record is due, and the record of each company that they find comes before the next search.
 */
function splitRun(
  room: number,
  { found, missing }: MissingCost,
  due: DueCalls,
  scenario: Scenario,
): RunParts {
  const foundBy = (searches: number) =>
    Math.min(missing, scenario.factor * found(searches) + Math.sign(searches) * scenario.burst);
  const early = Math.min(room, scenario.first);
  const needless = lowerBound(
    Math.max(0, Math.ceil(early - 1)),
    (fewer) => foundBy(early - fewer - 1) >= missing,
  );
  const before = early - needless;
  const pages = Math.max(0, Math.min(due.pages, room - before - due.records - foundBy(before)));
  const most = Math.min(room, scenario.all);
  const isRoomAfter = (made: number) => made + pages + due.records + foundBy(made) < room;
  const later = lowerBound(Math.max(0, Math.ceil(most - before)), (more) => isRoomAfter(before + more));
  const searches = before + later;
  const companies = foundBy(searches);
  const records = Math.min(due.records + companies, room - searches - pages);
  return { searches: searches + pages, records, companies };
}

function finite(value: number): number | null {
  return value === Infinity ? null : value;
}

function meanOf(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

function between(one: number, other: number): CallRange {
  return { low: Math.floor(Math.min(one, other)), high: Math.ceil(Math.max(one, other)) };
}

/** The searches that are planned for an estimate. */
const PLANNED_SEARCHES = 150;
const NO_SEARCHES: MissingCost = {
  first: 0,
  all: { low: 0, high: 0 },
  found: () => 0,
  missing: 0,
  isListing: false,
  isBegun: true,
};
/** The searches before now whose yields count. */
const LATEST_SEARCHES = 10;
// Nine of ten runs in the measured registries were between these bounds.
const FEWER = 0.8;
const MORE = 2.5;
const WORSE = 0.5;
const BETTER = 1.8;
/** The same if the number of searches is certain. */
const CERTAIN = [0.72, 1.4] as const;
/** While a smaller share of the companies is known, little is known about the searches. */
const BEGUN = 0.05;
/** The share of the missing companies that searches find in any case. */
const REACHED = 0.9;
