import type { QueryState } from '../../knowledge.ts';

/**
 * The queries whose listings show every company that was listed: those listed to their end, and those cut off
 * below which nothing longer was asked. What lies inside a complete listing need not be listed by itself.
 */
export function coveringQueries(states: readonly QueryState[]): QueryState[] {
  const listed = states.filter(isListed);
  const byText = new Map(listed.map((state) => [keyOf(state), state]));
  const split = new Set<string>();
  const inside = new Set<QueryState>();
  for (const state of listed) {
    for (const above of prefixesOf(state)) {
      const found = byText.get(above);
      if (found === undefined) continue;
      if (found.status === 'complete') inside.add(state);
      else split.add(above);
    }
  }
  return listed.filter(
    (state) => !inside.has(state) && (state.status === 'complete' || !split.has(keyOf(state))),
  );
}

/** Was it listed as far as it can be, and did it show anything? */
export function isListed({ status, rows }: QueryState): boolean {
  return (status === 'complete' || status === 'capped') && rows > 0;
}

function keyOf({ query }: QueryState): string {
  return `${query.by}:${query.text}`;
}

/** The keys of all shorter texts that this one begins with; the empty name lists everything, whatever is asked by. */
function prefixesOf({ query: { by, text } }: QueryState): string[] {
  const shorter = Array.from(
    { length: Math.max(text.length - 1, 0) },
    (_, at) => `${by}:${text.slice(0, at + 1)}`,
  );
  return text === '' ? [] : ['name:', ...shorter];
}
