import { type Call, FIRST_PAGE, queryKey, type SearchCall, targetOf } from '../call.ts';
import type { LoadResult } from '../knowledge.ts';
import type { Plan, PlanInput, Planner } from '../planner.ts';

/** A planner that notices if the upstream rejects every search, for example because it needs another parameter. */
export interface RejectionCheck extends Planner {
  /** The upstream's message, if it rejects every search; otherwise null. */
  readonly rejection: string | null;
}

/**
 * Adds a check to a planner. Rejected queries alone prove nothing, because many upstreams reject queries with too many
 * matches. If several queries are rejected with the same status before any search succeeds, a query that matches
 * nothing is sent. If the upstream also rejects that query, no more searches are planned.
 *
 * @param isDoubted True if an earlier run ended for this reason. The query that matches nothing is then sent first.
 */
export function withRejectionCheck(planner: Planner, isDoubted: boolean): RejectionCheck {
  let state: 'open' | 'doubted' | 'asked' | 'rejected' | 'settled' = isDoubted ? 'doubted' : 'open';
  let rejection: string | null = null;
  const rejected = new Map<string, Set<string>>();

  function next(ask: PlanInput): Plan {
    if (state === 'asked') return NOTHING;
    const plan = planner.next(ask);
    if (state === 'open' || state === 'settled' || !plan.calls.some(isSearch)) return plan;
    for (const call of plan.calls.filter(isSearch)) planner.release(call);
    const others = plan.calls.filter((call) => !isSearch(call));
    if (state === 'rejected') return { ...plan, calls: others };
    state = 'asked';
    return { ...plan, calls: [...others, CONTROL] };
  }

  function learn(result: LoadResult): void {
    const { call, verdict, note } = result;
    if (call !== CONTROL || verdict === 'ok') planner.learn(result);
    if (state === 'settled' || !isSearch(call)) return;
    if (verdict !== 'refused') {
      if (verdict === 'ok' || call === CONTROL) state = 'settled';
      return;
    }
    if (call === CONTROL) {
      state = 'rejected';
      rejection = note;
    } else if (state === 'open') {
      const alike = targetsWith(note?.split(':')[0] ?? '').add(targetOf(call));
      if (alike.size >= REJECTIONS_BEFORE_DOUBT) state = 'doubted';
    }
  }

  function targetsWith(status: string): Set<string> {
    const targets = rejected.get(status) ?? new Set<string>();
    rejected.set(status, targets);
    return targets;
  }

  return {
    get rejection() {
      return rejection;
    },
    next,
    learn,
    release: (call) => {
      if (call !== CONTROL) planner.release(call);
      else if (state === 'asked') state = 'doubted';
    },
  };
}

function isSearch(call: Call): boolean {
  return call.kind === 'search';
}

const NOTHING: Plan = { calls: [], wakeAtMs: null, drift: null };
const REJECTIONS_BEFORE_DOUBT = 4;

/** A query that matches no company. The upstream cannot reject it for having too many matches. */
const CONTROL: SearchCall = {
  kind: 'search',
  query: { by: 'name', text: 'qzxjvkwq' },
  page: FIRST_PAGE,
  reason: 'checks whether the upstream rejects every search',
  expected: 0,
};

/** This query's key in `_query`. */
export const CONTROL_KEY = queryKey(CONTROL.query);
