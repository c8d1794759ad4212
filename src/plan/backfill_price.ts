import type { Dialect } from '../dialect/dialect.ts';
import { restoredHunt, searchRules, type Wanted } from './backfill.ts';
import { folded } from './folding.ts';
import type { BackfillKnowledge, QueryState } from './knowledge.ts';
import type { WantedListing } from './listings.ts';
import { findsName, foldedIdentifier } from './matching.ts';
import type { TextRules } from './names/query_texts.ts';
import { rehearse } from './names/rehearsal.ts';
import { Pending } from './pending.ts';

/** From the fewest calls to the most; `high` null: nobody can tell. */
export interface CallRange {
  readonly low: number;
  readonly high: number | null;
}

/** What a backfill will cost, in calls. */
export interface BackfillPrice {
  readonly stats: CallRange;
  readonly search: CallRange;
  readonly entity: CallRange;
}

/** Rehearses the searches for names, and estimates the listings from what is known of the registry. */
export function priceBackfill(options: {
  readonly knowledge: BackfillKnowledge;
  readonly dialect: Dialect;
  readonly wanted: Wanted;
}): BackfillPrice {
  const { knowledge, dialect, wanted } = options;
  const rules = searchRules(dialect);
  const names = priceNames(knowledge, dialect, wanted);
  const listings = wanted.listings.map((listing) => priceListing(listing, knowledge, rules));
  const records = wanted.withRecords ? [names.records, ...listings.map(({ companies }) => companies)] : [];
  return {
    stats: exactly(names.asksForSize ? 1 : 0),
    search: sumOf([names.searches, ...listings.map(({ searches }) => searches)]),
    entity: sumOf([exactly(wanted.entityIds.length), ...records]),
  };
}

function priceNames(knowledge: BackfillKnowledge, dialect: Dialect, { names }: Wanted) {
  if (names.length === 0) return { searches: exactly(0), records: exactly(0), asksForSize: false };
  const rules = searchRules(dialect);
  const play = (assume: 'present' | 'absent') => {
    const pending = new Pending([]);
    return rehearse(restoredHunt(knowledge, dialect, names, pending), names, { rules, pending, assume });
  };
  const present = play('present');
  const absent = play('absent');
  const asksForSize =
    names.length > 1 &&
    rules.semantics !== null &&
    dialect.stats.total !== null &&
    knowledge.latestStats() === null;
  return {
    searches: {
      low: Math.min(present.searches, absent.searches),
      high: Math.max(present.searches, absent.searches),
    },
    records: { low: absent.found.length, high: present.found.length },
    asksForSize,
  };
}

/** Companies that a listing will bring, and the pages that it takes. */
function priceListing(listing: WantedListing, knowledge: BackfillKnowledge, rules: TextRules) {
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
  { semantics }: TextRules,
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
  // Two standard deviations of a count, and one more company than was seen: none seen is not none there.
  const spread = scale === 1 ? 0 : 2 * Math.sqrt(matching + 1);
  return {
    low: Math.max(matching, Math.floor((matching - spread) * scale)),
    high: Math.min(registry, Math.ceil((matching + spread) * scale)),
  };
}

function exactly(calls: number): CallRange {
  return { low: calls, high: calls };
}

function sumOf(ranges: readonly CallRange[]): CallRange {
  return {
    low: ranges.reduce((sum, { low }) => sum + low, 0),
    high: ranges.reduce<number | null>(
      (sum, { high }) => (sum === null || high === null ? null : sum + high),
      0,
    ),
  };
}

// Prefixes that must be split ask more pages than those of their companies.
const SPLIT_FACTOR = 1.5;
