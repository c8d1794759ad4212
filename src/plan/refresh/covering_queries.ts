import type { QueryState } from '../../knowledge.ts';

/**
 * The queries whose listings together show every listed company: complete listings, and truncated ones without a
 * longer query below them. A query below a complete listing is not needed.
 */
export function coveringQueries(states: readonly QueryState[]): QueryState[] {
  const listed = states.filter(isListed);
  const byKey = new Map(listed.map((state) => [keyOf(state), state]));
  const split = new Set<string>();
  const belowComplete = new Set<QueryState>();
  for (const state of listed) {
    for (const key of keysAbove(state)) {
      const above = byKey.get(key);
      if (above === undefined) continue;
      if (above.status === 'complete') belowComplete.add(state);
      else split.add(key);
    }
  }
  return listed.filter(
    (state) => !belowComplete.has(state) && (state.status === 'complete' || !split.has(keyOf(state))),
  );
}

/** Is the listing as long as it can be, and did it show any company? */
export function isListed({ status, rows }: QueryState): boolean {
  return (status === 'complete' || status === 'capped') && rows > 0;
}

function keyOf({ query }: QueryState): string {
  return `${query.by}:${query.text}`;
}

/** The keys of all proper prefixes. The empty name query lists everything and lies above identifier queries too. */
function keysAbove({ query: { by, text } }: QueryState): string[] {
  const prefixes = Array.from(
    { length: Math.max(text.length - 1, 0) },
    (_, at) => `${by}:${text.slice(0, at + 1)}`,
  );
  return text === '' ? [] : ['name:', ...prefixes];
}
