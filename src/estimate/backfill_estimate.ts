import { queryKey, type SearchQuery } from '../call.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { BackfillKnowledge, KnownCompany, QueryState } from '../knowledge.ts';
import { folded } from '../names/folding.ts';
import {
  exactTotal,
  findsName,
  foldedIdentifier,
  nameFinder,
  semanticsOf,
  windowOf,
} from '../names/query_matching.ts';
import type { QueryScope } from '../plan/discovery/discovery.ts';
import { sizeOf } from '../plan/registry_size.ts';
import { type NameResult, openNames } from '../plan/wanted/wanted_names.ts';
import { needsCount, type Wanted } from '../plan/wanted/wanted_planner.ts';
import { type CallRange, exactly, narrow, reducedBy, sumOf, within } from './call_range.ts';
import type { SyncEstimate } from './sync_estimate.ts';

export interface BackfillEstimate {
  readonly stats: CallRange;
  readonly search: CallRange;
  readonly entity: CallRange;
  /**
   * The total number of calls. This range is narrower than the sum over the kinds, because a name that does not exist
   * needs more searches but no record.
   */
  readonly total: CallRange;
  /** The number of companies that the searches find. */
  readonly companies: CallRange;
}

interface EstimateFacts {
  readonly knowledge: BackfillKnowledge;
  readonly dialect: Dialect;
}

/** Estimates the calls for a backfill. Listings are estimated from the known companies and the registry count. */
export function estimateBackfill({ wanted, ...facts }: EstimateFacts & { wanted: Wanted }): BackfillEstimate {
  const names = estimateNames(facts, wanted);
  const listings = wanted.listings.map((listing) => estimateListing(listing, facts));
  const stats = exactly(names.needsStatistics ? 1 : 0);
  const ids = exactly(wanted.entityIds.filter((id) => !facts.knowledge.isFresh(id)).length);
  const listingSearches = listings.map(({ searches }) => searches);
  const listingRecords = wanted.withRecords ? listings.map(({ records }) => records) : [];
  return {
    stats,
    search: sumOf([names.searches, ...listingSearches]),
    entity: sumOf([ids, names.records, ...listingRecords]),
    total: sumOf([stats, ids, names.calls, ...listingSearches, ...listingRecords]),
    companies: sumOf([{ low: 0, high: names.open }, ...listings.map(({ companies }) => companies)]),
  };
}

/** Estimates a watchlist's sync like a backfill. Its searches come before its records. */
export function estimateWatchlist({
  isStatsDue,
  left,
  wanted,
  ...facts
}: EstimateFacts & {
  readonly wanted: Wanted;
  readonly isStatsDue: boolean;
  /** The number of calls that the next run can make. Infinity means no limit. */
  readonly left: number;
}): SyncEstimate {
  const { total: calls, stats: own, ...estimate } = estimateBackfill({ ...facts, wanted });
  const { search, entity, companies } = estimate;
  const stats = exactly(isStatsDue ? 1 : 0);
  const total = sumOf([stats, reducedBy(calls, own.low)]);
  const rest = left - stats.low;
  const atMost = (range: CallRange, most: number) => within(range, { low: 0, high: finite(most) });
  return {
    ...estimate,
    stats,
    total,
    size: sizeOf(facts.knowledge, facts.dialect),
    priceDays: 0,
    nextRun: {
      calls: atMost(total, left),
      statistics: atMost(stats, left),
      searches: atMost(search, rest),
      records: atMost(entity, Math.max(0, rest - Math.min(search.low, rest))),
      companies,
    },
  };
}

/**
 * Estimates the searches for names from the planner's own choice of queries. Most names on a list belong to companies.
 * Until the registry count is known, every search may find a page of wanted names.
 */
function estimateNames({ knowledge, dialect }: EstimateFacts, { names: wanted, withRecords }: Wanted) {
  const names = openNames(wanted, knowledge, dialect);
  const findings = wanted.map((_, at) => names.finding(at));
  const open = findings.filter(({ is }) => is === 'open').length;
  const isDue = (one: NameResult) => one.is === 'found' && !knowledge.isFresh(one.company.entityId);
  const due = withRecords ? findings.filter(isDue).length : 0;
  const found = withRecords ? open : 0;
  const needsStatistics = needsCount(dialect, wanted) && knowledge.latestStats() === null;
  const most = names.expectedSearches();
  const least = needsStatistics ? Math.ceil(open / dialect.search.paging.size) : most;
  const searches = { low: fewest(least), high: Math.max(Math.ceil(most), Math.floor(MOST * most)) };
  const records = due + found;
  return {
    searches,
    records: { low: due, high: records },
    calls: {
      low: fewest(least + records),
      high: Math.min(searches.high + records, Math.ceil(MOST * (most + records))),
    },
    open,
    needsStatistics,
  };
}

function fewest(calls: number): number {
  return Math.max(Math.min(1, calls), Math.floor(FEWEST * calls));
}

/** Estimates a listing's due records and remaining pages. */
function estimateListing({ query, splits }: QueryScope, { knowledge, dialect }: EstimateFacts) {
  const [window, pageSize] = [windowOf(dialect), dialect.search.paging.size];
  const key = queryKey(query);
  const state = [...knowledge.freshQueries()].find((one) => queryKey(one.query) === key);
  const { matching, known, fresh } = matchesOf(query, { knowledge, dialect });
  const shown = splits ? matching : within(matching, { low: 0, high: finite(window) });
  const isSplit = (total: number) => splits && total > window;
  const pagesLeft = (total: number) => {
    const pages = Math.ceil(total / pageSize) * (isSplit(total) ? SPLIT_FACTOR : 1);
    return Math.ceil(Math.max(1, pages - (state?.pages ?? 0)));
  };
  const isDone = state !== undefined && state.status !== 'open' && !isSplit(matching.low);
  return {
    records: narrow(reducedBy(shown, fresh)),
    companies: narrow(reducedBy(shown, known)),
    searches: isDone
      ? exactly(0)
      : { low: pagesLeft(shown.low), high: shown.high === null ? null : pagesLeft(shown.high) },
  };
}

/**
 * Estimates how many companies match a query, and counts the known matches and those with a fresh record. If the query
 * was sent and has an exact total, that is the number. Otherwise, of the unseen companies `G` in the smallest listing
 * that includes every match, such as the listing for `ac` if the query is `acme`, the share `(c + ½) / (C + 1)` is
 * expected to match. `C` companies in this listing are known, and `c` of them match. Without such a listing, `G` and `C`
 * count the whole registry. The upper end is then higher, because users search for prefixes that companies have.
 */
function matchesOf(query: SearchQuery, { knowledge, dialect }: EstimateFacts) {
  const container = smallestContaining(query, knowledge.queries(), dialect);
  const matches = matcherOf(query, dialect);
  const isContained = container === null ? () => true : matcherOf(container.query, dialect);
  let [known, fresh, contained] = [0, 0, 0];
  for (const company of knowledge.knownCompanies()) {
    if (isContained(company)) contained++;
    if (!matches(company)) continue;
    known++;
    if (knowledge.isFresh(company.entityId)) fresh++;
  }
  if (container !== null && queryKey(container.query) === queryKey(query))
    return { matching: exactly(Math.max(known, container.total)), known, fresh };
  const most = container?.total ?? knowledge.latestStats()?.total ?? null;
  const matching = matchesIn(known, contained, most, container === null ? DEVIATIONS : 1);
  return { matching, known, fresh };
}

/**
 * Adds the expected unseen matches to `known`. Searches for frequent words come first, so the companies that are still
 * unseen match a given query more often than the known ones. The range is therefore not symmetric.
 */
function matchesIn(known: number, contained: number, most: number | null, deviations: number): CallRange {
  if (most === null) return { low: known, high: null };
  const odds = Math.max(0, most - contained) / (contained + 1);
  const unseen = odds * (known + 0.5);
  const spread = Math.sqrt(unseen * (1 + odds));
  return {
    low: known + Math.floor(Math.max(0, FEWER * unseen - spread)),
    high: Math.min(Math.max(known, most), known + Math.ceil(MORE * unseen + deviations * spread)),
  };
}

/**
 * Among the queries that find every company that `query` finds, returns the query with the smallest exact total, or
 * null if there is none. The query itself comes first.
 */
function smallestContaining(query: SearchQuery, queries: Iterable<QueryState>, dialect: Dialect) {
  let smallest: { readonly query: SearchQuery; readonly total: number } | null = null;
  for (const { query: outer, total: reported } of queries) {
    const total = exactTotal(reported, dialect);
    if (total === null || outer.by !== query.by) continue;
    if (outer.text === query.text) return { query: outer, total };
    const contains =
      outer.by === 'identifier'
        ? foldedIdentifier(query.text).startsWith(foldedIdentifier(outer.text))
        : findsName(semanticsOf(dialect), outer.text, folded(query.text));
    if (contains && total < (smallest?.total ?? Infinity)) smallest = { query: outer, total };
  }
  return smallest;
}

function matcherOf({ by, text }: SearchQuery, dialect: Dialect): (company: KnownCompany) => boolean {
  if (by === 'identifier') {
    const start = foldedIdentifier(text);
    return ({ entityId }) => foldedIdentifier(entityId).startsWith(start);
  }
  const finds = nameFinder(semanticsOf(dialect), text);
  return ({ name }) => name !== null && finds(folded(name));
}

function finite(value: number): number | null {
  return value === Infinity ? null : value;
}

// The standard deviations above the estimate, if only the whole registry is known to contain the matches.
const DEVIATIONS = 3;
// The factor by which splitting a prefix increases the number of pages.
const SPLIT_FACTOR = 1.5;
// Names that no company has, or that several companies have, need more searches and fewer records than expected.
const FEWEST = 0.86;
const MOST = 1.25;
const FEWER = 0.8;
const MORE = 1.5;
