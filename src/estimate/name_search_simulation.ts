import type { QueryState } from '../knowledge.ts';
import type { Pending } from '../plan/pending.ts';
import type { NameHunt } from '../plan/wanted/name_hunt.ts';
import type { NameQueryRules } from '../plan/wanted/name_queries.ts';

export interface SimulatedHunt {
  readonly searches: number;
  /** Wanted names that were found, by index. */
  readonly found: readonly number[];
}

/**
 * Plays a hunt against an upstream that answers as the hunt expects, and in which every wanted name exists
 * exactly once (`present`), or none does. The hunt is used up by it.
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
    const under = hunt.namesFoundBy(text);
    const total = Math.round(
      hunt.isWholeName(text) && under.length === 1 && assume === 'absent' ? 0 : hunt.expectedTotal(text),
    );
    const state = answerTo(call.query, total, call.page.index + 1, rules);
    const isLast = state.status === 'complete';
    if (isLast && assume === 'present')
      for (const at of under)
        if (hunt.finding(at).is === 'open') hunt.see(simulatedId(at), names[at] as string);
    hunt.learn(state, []);
  }
  const found = names.flatMap((_, at) => (hunt.finding(at).is === 'found' ? [at] : []));
  return { searches, found };
}

function answerTo(
  query: QueryState['query'],
  total: number,
  pages: number,
  rules: NameQueryRules,
): QueryState {
  const rows = Math.min(total, pages * rules.pageSize);
  const isCut = rows >= rules.window && rows < total;
  const status = rows >= total ? 'complete' : isCut ? 'capped' : 'open';
  return { query, total, pages, rows, next: null, status, listedAtMs: 0 };
}

// No identifier begins so: it is never sent.
function simulatedId(at: number): string {
  return `\u0000${at}`;
}
