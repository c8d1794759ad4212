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
 * Returns whether the registry count has changed since the listing of all companies was read, and differs from the number
 * of its rows. In a registry without other queries, only a repeated listing then finds the companies that have joined.
 */
export function isOutdatedByCount(
  { query, rows, listedAtMs }: Pick<QueryState, 'query' | 'rows' | 'listedAtMs'>,
  knowledge: Pick<Knowledge, 'latestStats' | 'registryCountAt'>,
): boolean {
  const total = isOfAll({ query }) ? (knowledge.latestStats()?.total ?? null) : null;
  return total !== null && total !== rows && total !== knowledge.registryCountAt(listedAtMs);
}

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
