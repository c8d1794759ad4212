import type { Dialect } from '../dialect/dialect.ts';
import type { BackfillKnowledge, QueryState } from '../knowledge.ts';
import { folded } from '../names/folding.ts';
import { findsName, foldedIdentifier } from '../names/query_matching.ts';
import { Pending } from '../plan/pending.ts';
import { restoredHunt, searchRules, type Wanted } from '../plan/wanted/backfill_planner.ts';
import type { NameQueryRules } from '../plan/wanted/name_queries.ts';
import type { WantedListing } from '../plan/wanted/wanted_listings.ts';
import { between, type CallRange, exactly, sumOf } from './call_range.ts';
import { type SimulatedHunt, simulateHunt } from './name_search_simulation.ts';

/** The calls of a backfill. */
export interface BackfillEstimate {
  readonly stats: CallRange;
  readonly search: CallRange;
  readonly entity: CallRange;
  /** Narrower than the sum of the kinds: a name that does not exist needs more searches but no record. */
  readonly total: CallRange;
}

/** Simulates the searches for names, and estimates the listings from known companies and the registry count. */
export function estimateBackfill(options: {
  readonly knowledge: BackfillKnowledge;
  readonly dialect: Dialect;
  readonly wanted: Wanted;
}): BackfillEstimate {
  const { knowledge, dialect, wanted } = options;
  const rules = searchRules(dialect);
  const names = estimateNames(knowledge, dialect, wanted);
  const listings = wanted.listings.map((listing) => estimateListing(listing, knowledge, rules));
  const records = wanted.withRecords ? [names.records, ...listings.map(({ companies }) => companies)] : [];
  const stats = exactly(names.needsStatistics ? 1 : 0);
  const ids = exactly(wanted.entityIds.length);
  const listingCalls = listings.flatMap(({ searches, companies }) =>
    wanted.withRecords ? [searches, companies] : [searches],
  );
  return {
    stats,
    search: sumOf([names.searches, ...listings.map(({ searches }) => searches)]),
    entity: sumOf([ids, ...records]),
    total: sumOf([stats, ids, names.calls, ...listingCalls]),
  };
}

function estimateNames(knowledge: BackfillKnowledge, dialect: Dialect, { names, withRecords }: Wanted) {
  const none = exactly(0);
  if (names.length === 0) return { searches: none, records: none, calls: none, needsStatistics: false };
  const rules = searchRules(dialect);
  const simulate = (assume: 'present' | 'absent') => {
    const pending = new Pending([]);
    return simulateHunt(restoredHunt(knowledge, dialect, names, pending), names, { rules, pending, assume });
  };
  const present = simulate('present');
  const absent = simulate('absent');
  const needsStatistics =
    names.length > 1 &&
    rules.semantics !== null &&
    dialect.stats.total !== null &&
    knowledge.latestStats() === null;
  const calls = ({ searches, found }: SimulatedHunt) => searches + (withRecords ? found.length : 0);
  return {
    searches: between(present.searches, absent.searches),
    records: between(absent.found.length, present.found.length),
    calls: between(calls(present), calls(absent)),
    needsStatistics,
  };
}

/** The companies of a listing, and its remaining pages. */
function estimateListing(listing: WantedListing, knowledge: BackfillKnowledge, rules: NameQueryRules) {
  const state = [...knowledge.freshQueries()].find(
    ({ query }) => query.by === listing.query.by && query.text === listing.query.text,
  );
  const companies = companiesOf(listing, state, knowledge, rules);
  const reachable = listing.splits ? Infinity : rules.window;
  const shown = {
    low: Math.min(companies.low, reachable),
    high:
      companies.high === null
        ? reachable === Infinity
          ? null
          : reachable
        : Math.min(companies.high, reachable),
  };
  const isSplit = (total: number) => listing.splits && total > rules.window;
  const pages = (total: number) =>
    Math.max(
      1,
      Math.ceil(total / rules.pageSize) * (isSplit(total) ? SPLIT_FACTOR : 1) - (state?.pages ?? 0),
    );
  const isDone = state !== undefined && state.status !== 'open' && !isSplit(companies.low);
  return {
    companies: shown,
    searches: isDone
      ? exactly(0)
      : { low: Math.ceil(pages(shown.low)), high: shown.high === null ? null : Math.ceil(pages(shown.high)) },
  };
}

function companiesOf(
  { query }: WantedListing,
  state: QueryState | undefined,
  knowledge: BackfillKnowledge,
  { semantics }: NameQueryRules,
): CallRange {
  if (state?.total != null) return exactly(state.total);
  const registry = knowledge.latestStats()?.total ?? null;
  const known = knowledge.knownCount();
  if (query.by === 'name' && semantics === null) return { low: 0, high: registry };
  let matching = 0;
  for (const { entityId, name } of knowledge.knownCompanies()) {
    const isFound =
      query.by === 'identifier'
        ? foldedIdentifier(entityId).startsWith(foldedIdentifier(query.text))
        : name !== null && semantics !== null && findsName(semantics, query.text, folded(name));
    if (isFound) matching++;
  }
  if (registry === null || known === 0) return { low: matching, high: registry };
  const scale = Math.max(1, registry / known);
  // Two standard deviations of a Poisson count. The added 1 keeps the range open if no company matches yet.
  const spread = scale === 1 ? 0 : 2 * Math.sqrt(matching + 1);
  return {
    low: Math.max(matching, Math.floor((matching - spread) * scale)),
    high: Math.min(registry, Math.ceil((matching + spread) * scale)),
  };
}

// Split prefixes need more pages than their companies fill.
const SPLIT_FACTOR = 1.5;
