import type { Knowledge, QueryState } from '../../knowledge.ts';
import { isOfAll } from '../registry_size.ts';

/**
 * Returns queries whose listings together show every listed company: those with a complete listing, and those with a
 * truncated or unfinished listing but no listed extension. Extensions of completely listed queries are excluded. If the
 * registry is counted, so are redundant listings, because the count shows whether a company has joined.
 */
export function coveringQueries(knowledge: Pick<Knowledge, 'queries' | 'latestStats'>): QueryState[] {
  const isCounted = (knowledge.latestStats()?.total ?? null) !== null;
  const isNeeded = ({ isRedundant }: QueryState) => !(isCounted && isRedundant);
  const listed = [...knowledge.queries()].filter(isListed);
  const byKey = new Map(listed.filter(isNeeded).map((state) => [keyOf(state), state]));
  const split = new Set<string>();
  const belowSplit = new Set<QueryState>();
  const belowComplete = new Set<QueryState>();
  for (const state of listed) {
    for (const key of keysAbove(state)) {
      const above = byKey.get(key);
      if (above === undefined) continue;
      if (above.status === 'complete') belowComplete.add(state);
      else {
        split.add(key);
        belowSplit.add(state);
      }
    }
  }
  return listed.filter(
    (state) =>
      (isNeeded(state) || belowSplit.has(state)) &&
      !belowComplete.has(state) &&
      (state.status === 'complete' || !split.has(keyOf(state))),
  );
}

/**
 * Returns whether the registry count shows that the listing of all companies lacks some, which only a repeated listing
 * finds:
 *
 * - As many companies have joined as have left.
 * - In a registry without other queries, the count has changed since the listing was read, and differs from its rows.
 */
export function isOutdatedByCount(listing: Listing, facts: CountFacts, hasQueries: boolean): boolean {
  const latest = facts.latestStats();
  if (latest === null || latest.total === null || !isOfAll(listing)) return false;
  if (isOutnumbered(listing, facts)) return latest.observedAtMs > listing.listedAtMs;
  const isChanged = latest.total !== listing.rows;
  return !hasQueries && isChanged && latest.total !== facts.registryCountAt(listing.listedAtMs);
}

/**
 * Returns whether companies have left since the listing of all companies was read, and the registry count still equals
 * its rows. The count can be older than their departure.
 */
export function isOutnumbered(
  listing: Listing,
  facts: Pick<CountFacts, 'latestStats' | 'existingCount' | 'hasSeveralRows'>,
): boolean {
  const isCounted = isOfAll(listing) && facts.latestStats()?.total === listing.rows;
  return isCounted && !facts.hasSeveralRows() && facts.existingCount() < listing.rows;
}

type Listing = Pick<QueryState, 'query' | 'rows' | 'listedAtMs'>;
type CountFacts = Pick<Knowledge, 'latestStats' | 'registryCountAt' | 'existingCount' | 'hasSeveralRows'>;

/** Returns whether the listing has shown a company. */
export function isListed({ status, rows }: QueryState): boolean {
  return status !== 'refused' && rows > 0;
}

function keyOf({ query }: QueryState): string {
  return `${query.by}:${query.text}`;
}

/**
 * Returns the keys of a query's proper prefixes. The empty name query also counts as a prefix of identifier queries,
 * because it lists every company.
 */
function keysAbove({ query: { by, text } }: QueryState): string[] {
  const prefixes = Array.from(
    { length: Math.max(text.length - 1, 0) },
    (_, at) => `${by}:${text.slice(0, at + 1)}`,
  );
  return text === '' ? [] : ['name:', ...prefixes];
}
