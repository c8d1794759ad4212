import { queryKey, type SearchQuery } from '../call.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { BackfillKnowledge, KnownCompany, QueryState } from '../knowledge.ts';
import { folded } from '../names/folding.ts';
import {
  exactTotal,
  findsName,
  foldedIdentifier,
  nameFinder,
  type Semantics,
} from '../names/query_matching.ts';
import { Pending } from '../plan/pending.ts';
import { sizeOf } from '../plan/registry_size.ts';
import type { Finding } from '../plan/wanted/name_findings.ts';
import type { WantedListing } from '../plan/wanted/scoped_listing.ts';
import { needsCount, restoredHunt, searchRules, type Wanted } from '../plan/wanted/wanted_planner.ts';
import { type Watchlist, wantedNow } from '../plan/wanted/watchlist.ts';
import { type CallRange, exactly, reducedBy, sumOf, within } from './call_range.ts';
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

/** Estimates the calls for a backfill. Listings are estimated from the known companies and the registry count. */
export function estimateBackfill(options: {
  readonly knowledge: BackfillKnowledge;
  readonly dialect: Dialect;
  readonly wanted: Wanted;
}): BackfillEstimate {
  const { knowledge, dialect, wanted } = options;
  const names = estimateNames(knowledge, dialect, wanted);
  const queries = [...knowledge.queries()];
  const fresh = new Set([...knowledge.freshQueries()].map(({ query }) => queryKey(query)));
  const listings = wanted.listings.map((listing) =>
    estimateListing(listing, { knowledge, queries, fresh, dialect }),
  );
  const records = wanted.withRecords ? [names.records, ...listings.map(({ records: due }) => due)] : [];
  const stats = exactly(names.needsStatistics ? 1 : 0);
  const ids = exactly(wanted.entityIds.length);
  const listingCalls = listings.flatMap(({ searches, records: due }) =>
    wanted.withRecords ? [searches, due] : [searches],
  );
  return {
    stats,
    search: sumOf([names.searches, ...listings.map(({ searches }) => searches)]),
    entity: sumOf([ids, ...records]),
    total: sumOf([stats, ids, names.calls, ...listingCalls]),
    companies: sumOf([{ low: 0, high: names.open }, ...listings.map(({ companies }) => companies)]),
  };
}

/** Estimates a watchlist's sync like a backfill. Its searches come before its records. */
export function estimateWatchlist({
  isStatsDue,
  left,
  watchlist,
  ...facts
}: {
  readonly knowledge: BackfillKnowledge;
  readonly dialect: Dialect;
  readonly watchlist: Watchlist;
  readonly isStatsDue: boolean;
  /** The number of calls that the next run can make. Infinity means no limit. */
  readonly left: number;
}): SyncEstimate {
  const kinds = new Set(['search', 'entity'] as const);
  const estimate = estimateBackfill({ ...facts, wanted: wantedNow({ ...facts, watchlist, kinds }) });
  const { search, entity, companies } = estimate;
  const stats = exactly(isStatsDue ? 1 : 0);
  const total = sumOf([stats, reducedBy(estimate.total, estimate.stats.low)]);
  const rest = left - stats.low;
  const atMost = (range: CallRange, most: number) => within(range, { low: 0, high: finite(most) });
  return {
    ...{
      stats,
      search,
      entity,
      total,
      companies,
      size: sizeOf(facts.knowledge, facts.dialect),
      priceDays: 0,
    },
    nextRun: {
      ...{ calls: atMost(total, left), statistics: atMost(stats, left), searches: atMost(search, rest) },
      ...{ records: atMost(entity, Math.max(0, rest - Math.min(search.low, rest))), companies },
    },
  };
}

/** Estimates the searches for names from the hunt's own choice of queries. Most names on a list belong to companies. */
function estimateNames(knowledge: BackfillKnowledge, dialect: Dialect, { names, withRecords }: Wanted) {
  const hunt = restoredHunt(knowledge, dialect, names, new Pending([]));
  const findings = names.map((_, at) => hunt.finding(at));
  const open = findings.filter(({ is }) => is === 'open').length;
  const isDue = (one: Finding) => one.is === 'found' && !knowledge.isFresh(one.company.entityId);
  const found = findings.filter(isDue).length;
  const searches = names.length === 0 ? 0 : hunt.expectedSearches();
  const calls = searches + (withRecords ? found + open : 0);
  return {
    searches: { low: Math.floor(FEWEST * searches), high: Math.ceil(MOST * searches) },
    records: { low: found, high: found + open },
    calls: { low: Math.floor(FEWEST * calls), high: Math.ceil(MOST * calls) },
    open,
    needsStatistics: needsCount(dialect, names) && knowledge.latestStats() === null,
  };
}

interface ListingFacts {
  readonly knowledge: BackfillKnowledge;
  readonly queries: readonly QueryState[];
  /** The keys of the queries with recent enough listings. */
  readonly fresh: ReadonlySet<string>;
  readonly dialect: Dialect;
}

/** Estimates a listing's due records and remaining pages. */
function estimateListing(listing: WantedListing, facts: ListingFacts) {
  const rules = searchRules(facts.dialect);
  const state = facts.queries.find(
    ({ query }) => isSameQuery(query, listing.query) && facts.fresh.has(queryKey(query)),
  );
  const { companies, known, fresh } = companiesOf(listing.query, facts);
  const shown = listing.splits ? companies : within(companies, { low: 0, high: finite(rules.window) });
  const isSplit = (total: number) => listing.splits && total > rules.window;
  const pages = (total: number) =>
    Math.max(
      1,
      Math.ceil(total / rules.pageSize) * (isSplit(total) ? SPLIT_FACTOR : 1) - (state?.pages ?? 0),
    );
  const isDone = state !== undefined && state.status !== 'open' && !isSplit(companies.low);
  return {
    records: reducedBy(shown, fresh),
    companies: reducedBy(shown, known),
    searches: isDone
      ? exactly(0)
      : { low: Math.ceil(pages(shown.low)), high: shown.high === null ? null : Math.ceil(pages(shown.high)) },
  };
}

/**
 * Estimates how many companies match a query, and counts the known matches and those with a fresh record. If the query
 * was sent and has an exact total, that is the number. Otherwise, of the unseen companies `G` in the smallest listing
 * that includes every match, such as the listing for `ac` if the query is `acme`, the share `(c + ½) / (C + 1)` is
 * expected to match. `C` companies in this listing are known, and `c` of them match. Without such a listing, `G` and `C`
 * count the whole registry, and a hundred companies that do not match are added to `C`.
 */
function companiesOf(query: SearchQuery, { knowledge, queries, dialect }: ListingFacts) {
  const { semantics } = searchRules(dialect);
  const registry = knowledge.latestStats()?.total ?? null;
  const own = queries.find((state) => isSameQuery(state.query, query));
  const total = own === undefined ? null : exactTotal(own.total, dialect);
  if (query.by === 'name' && semantics === null)
    return { companies: total === null ? { low: 0, high: registry } : exactly(total), known: 0, fresh: 0 };
  const matches = matcherOf(query, semantics);
  const container = smallestContaining(query, queries, dialect);
  const isContained = container === null ? () => true : matcherOf(container.query, semantics);
  let [known, fresh, contained] = [0, 0, 0];
  for (const company of knowledge.knownCompanies()) {
    if (isContained(company)) contained++;
    if (!matches(company)) continue;
    known++;
    if (knowledge.isFresh(company.entityId)) fresh++;
  }
  if (total !== null) return { companies: exactly(Math.max(known, total)), known, fresh };
  // The known matches of a listing that was begun are no sample of the registry.
  if (container === null && own !== undefined && own.rows > 0) {
    const another = known + Math.max(dialect.search.paging.size, known);
    return { companies: { low: known, high: another }, known, fresh };
  }
  const most = container?.total ?? registry;
  return {
    companies: matchesIn(known, contained, most, container === null ? UNSEEN_NAMES : 1),
    known,
    fresh,
  };
}

/**
 * Adds the expected unseen matches to `matching`. Searches for frequent words come first, so the companies that are still
 * unseen match a given query more often than the known ones. The range is therefore not symmetric.
 */
function matchesIn(matching: number, contained: number, most: number | null, prior: number): CallRange {
  if (most === null) return { low: matching, high: null };
  const odds = Math.max(0, most - contained) / (contained + prior);
  const unseen = odds * (matching + 0.5);
  const spread = Math.sqrt(unseen * (1 + odds));
  return {
    low: matching + Math.floor(Math.max(0, FEWER * unseen - spread)),
    high: Math.min(Math.max(matching, most), matching + Math.ceil(MORE * unseen + spread)),
  };
}

/**
 * Among the queries that find every company that `query` finds, returns the query with the smallest exact total, or
 * null if there is none.
 */
function smallestContaining(query: SearchQuery, queries: readonly QueryState[], dialect: Dialect) {
  const { semantics } = searchRules(dialect);
  let smallest: { readonly query: SearchQuery; readonly total: number } | null = null;
  for (const state of queries) {
    const outer = state.query;
    const total = exactTotal(state.total, dialect);
    if (total === null || outer.by !== query.by) continue;
    const contains =
      outer.by === 'identifier'
        ? foldedIdentifier(query.text).startsWith(foldedIdentifier(outer.text))
        : semantics !== null && findsName(semantics, outer.text, folded(query.text));
    if (contains && total < (smallest?.total ?? Infinity)) smallest = { query: outer, total };
  }
  return smallest;
}

function matcherOf(query: SearchQuery, semantics: Semantics | null): (company: KnownCompany) => boolean {
  if (query.by === 'identifier') {
    const start = foldedIdentifier(query.text);
    return ({ entityId }) => foldedIdentifier(entityId).startsWith(start);
  }
  if (semantics === null) return () => false;
  const finds = nameFinder(semantics, query.text);
  return ({ name }) => name !== null && finds(folded(name));
}

function isSameQuery(one: SearchQuery, other: SearchQuery): boolean {
  return one.by === other.by && one.text === other.text;
}

function finite(value: number): number | null {
  return value === Infinity ? null : value;
}

// The factor by which splitting a prefix increases the number of pages.
const SPLIT_FACTOR = 1.5;
const UNSEEN_NAMES = 100;
// Names that no company has, or that several companies have, need more searches and fewer records than expected.
const FEWEST = 0.86;
const MOST = 1.25;
const FEWER = 0.8;
const MORE = 1.5;
