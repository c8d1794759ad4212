import type { QueryState } from '../knowledge.ts';
import type { Pending } from '../plan/pending.ts';
import type { NameHunt } from '../plan/wanted/name_hunt.ts';
import type { NameQueryRules } from '../plan/wanted/name_queries.ts';

export interface SimulatedHunt {
  readonly searches: number;
  /** The indexes of the wanted names that were found. */
  readonly found: readonly number[];
}

/**
 * Simulates a search for names. The simulated upstream reports the expected totals. Either every wanted name exists
 * exactly once (`present`), or none exists (`absent`). The simulation changes the hunt, so the hunt must not be used
 * afterwards.
 */
export function simulateHunt(
  hunt: NameHunt,
  names: readonly string[],
  options: {
    readonly rules: NameQueryRules;
    readonly pending: Pending;
    readonly assume: 'present' | 'absent';
  },
): SimulatedHunt {
  const { rules, pending, assume } = options;
  let searches = 0;
  for (;;) {
    const [call] = hunt.next(0, 1);
    if (call === undefined) break;
    searches++;
    pending.landed(call);
    const { text } = call.query;
    const foundNames = hunt.namesFoundBy(text);
    const total = Math.round(
      hunt.isWholeName(text) && foundNames.length === 1 && assume === 'absent' ? 0 : hunt.expectedTotal(text),
    );
    const state = stateAfter(call.query, total, call.page.index + 1, rules);
    const isLast = state.status === 'complete';
    if (isLast && assume === 'present')
      for (const at of foundNames)
        if (hunt.finding(at).is === 'open') hunt.see(simulatedId(at), names[at] as string);
    hunt.learn(state, []);
  }
  const found = names.flatMap((_, at) => (hunt.finding(at).is === 'found' ? [at] : []));
  return { searches, found };
}

function stateAfter(
  query: QueryState['query'],
  total: number,
  pages: number,
  rules: NameQueryRules,
): QueryState {
  const rows = Math.min(total, pages * rules.pageSize);
  const isCapped = rows >= rules.window && rows < total;
  const status = rows >= total ? 'complete' : isCapped ? 'capped' : 'open';
  return { query, total, pages, rows, next: null, status, listedAtMs: 0 };
}

// The id begins with NUL, unlike any real identifier.
function simulatedId(at: number): string {
  return `\u0000${at}`;
}
