import type { Call } from '../call.ts';
import type { News } from './knowledge.ts';
import type { Ask, Plan, Planner } from './plan.ts';

/**
 * Chooses one call at a time: ahead of its slot, so that no slot is missed while the planner thinks, and again
 * when the slot is due if anything was learned in between.
 */
export interface Choice {
  /** Is a call due? It stays open which: the choice is made when the slot is due. */
  look(ask: ChoiceAsk): Prospect;
  /** The best call by all that is known now; null: nothing is due. */
  choose(ask: ChoiceAsk): Call | null;
  learn(result: News): void;
  /** A chosen call was not sent: it may be chosen again. */
  release(call: Call): void;
}

export type ChoiceAsk = Omit<Ask, 'most'>;

export interface Prospect extends Pick<Plan, 'wakeAtMs' | 'drift'> {
  readonly isDue: boolean;
}

export function openChoice(planner: Planner): Choice {
  let draft: { readonly plan: Plan; readonly atMs: number } | null = null;

  function drop(): void {
    for (const call of draft?.plan.calls ?? []) planner.release(call);
    draft = null;
  }

  function current(ask: ChoiceAsk): Plan {
    if (draft !== null && ask.nowMs - draft.atMs > DRAFT_VALID_MS) drop();
    draft ??= { plan: planner.next({ ...ask, most: 1 }), atMs: ask.nowMs };
    return draft.plan;
  }

  return {
    look: (ask) => {
      const { calls, wakeAtMs, drift } = current(ask);
      const isDue = calls.length > 0;
      if (!isDue) draft = null;
      return { isDue, wakeAtMs, drift };
    },
    choose: (ask) => {
      const [call = null] = current(ask).calls;
      draft = null;
      return call;
    },
    learn: (result) => {
      // Before the planner learns: what it chose is chosen again by what it knows then.
      drop();
      planner.learn(result);
    },
    release: (call) => {
      drop();
      planner.release(call);
    },
  };
}

/** With time alone, waiting targets become due: an older draft is chosen again. */
const DRAFT_VALID_MS = 50;
