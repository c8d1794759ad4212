import { queryKey, type SearchQuery } from '../call.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { BackfillKnowledge, KnownCompany, QueryState } from '../knowledge.ts';
import { folded } from '../names/folding.ts';
import { findsName, foldedIdentifier, nameFinder, type Semantics } from '../names/query_matching.ts';
import { Pending } from '../plan/pending.ts';
import type { WantedListing } from '../plan/wanted/scoped_listing.ts';
import { needsCount, restoredHunt, searchRules, type Wanted } from '../plan/wanted/wanted_planner.ts';
import { type CallRange, exactly, reducedBy, sumOf, within } from './call_range.ts';

export interface BackfillEstimate {
  readonly stats: CallRange;
  readonly search: CallRange;
  readonly entity: CallRange;
  /**
   * The total number of calls. This range is narrower than the sum over the kinds, because a name that does not exist
   * needs more searches but no record.
   */
  readonly total: CallRange;
}

/**
 * Estimates the calls for a backfill. Listings are estimated from the known companies
 * and the registry count.
 */
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
  };
}

/** Estimates the searches for names from the hunt's own choice of queries. Most names on a list belong to companies. */
function estimateNames(knowledge: BackfillKnowledge, dialect: Dialect, { names, withRecords }: Wanted) {
  const hunt = restoredHunt(knowledge, dialect, names, new Pending([]));
  const isFound = (at: number) => hunt.finding(at).is === 'found';
  const open = names.filter((_, at) => hunt.finding(at).is === 'open').length;
  const found = names.filter((_, at) => isFound(at)).length;
  const searches = names.length === 0 ? 0 : hunt.expectedSearches();
  const high = searches + (withRecords ? found + open : 0);
  return {
    searches: { low: Math.ceil(searches / NAMES_SPREAD), high: searches },
    records: { low: found, high: found + open },
    calls: { low: Math.floor(high / NAMES_SPREAD), high },
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
  const { companies, fresh } = companiesOf(listing.query, facts);
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
    searches: isDone
      ? exactly(0)
      : { low: Math.ceil(pages(shown.low)), high: shown.high === null ? null : Math.ceil(pages(shown.high)) },
  };
}

/**
 * Estimates how many companies match a query, and counts the known matches with a fresh record. Of the unseen companies
 * `G` in the smallest listing that includes every match, such as the listing for `ac` if the query is `acme`, the share
 * `(c + ½) / (C + 1)` is expected to match. `C` companies in this listing are known, and `c` of them match. Without such
 * a listing, `G` and `C` count the whole registry, and a hundred companies that do not match are added to `C`.
 */
function companiesOf(query: SearchQuery, { knowledge, queries, dialect }: ListingFacts) {
  const { semantics } = searchRules(dialect);
  const registry = knowledge.latestStats()?.total ?? null;
  const own = queries.find((state) => isSameQuery(state.query, query))?.total ?? null;
  if (query.by === 'name' && semantics === null)
    return { companies: own === null ? { low: 0, high: registry } : exactly(own), fresh: 0 };
  const matches = matcherOf(query, semantics);
  const container = smallestContaining(query, queries, dialect);
  const isContained = container === null ? () => true : matcherOf(container.query, semantics);
  const most = container?.total ?? registry;
  let matching = 0;
  let fresh = 0;
  let contained = 0;
  for (const company of knowledge.knownCompanies()) {
    if (isContained(company)) contained++;
    if (!matches(company)) continue;
    matching++;
    if (knowledge.isFresh(company.entityId)) fresh++;
  }
  // The known matches of a listing that was begun are no sample of the registry.
  const begun = queries.find((state) => isSameQuery(state.query, query) && state.rows > 0);
  const another = matching + Math.max(dialect.search.paging.size, matching);
  if (container === null && begun !== undefined)
    return { companies: { low: matching, high: another }, fresh };
  return { companies: matchesIn(matching, contained, most, container === null ? UNSEEN_NAMES : 1), fresh };
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
  const clampedAt = dialect.search.total_clamped_at ?? Infinity;
  let smallest: { readonly query: SearchQuery; readonly total: number } | null = null;
  for (const { query: outer, total } of queries) {
    if (total === null || total >= clampedAt || outer.by !== query.by) continue;
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
const NAMES_SPREAD = 1.45;
const FEWER = 0.8;
const MORE = 1.5;
