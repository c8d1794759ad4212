import type { Call } from '../call.ts';
import type { Clock } from '../clock.ts';
import type { LoadResult } from '../knowledge.ts';
import type { Plan, PlanInput, Planner } from '../planner.ts';

/**
 * Chooses one call at a time: ahead of its slot, so that no slot is missed while the planner thinks, and again
 * when the slot is due if anything was learned in between.
 */
export interface Choice {
  /** Is a call due? It stays open which: the choice is made when the slot is due. */
  look(ask: ChoiceAsk): Prospect;
  /** The best call by all that is known now; null: nothing is due. */
  choose(ask: ChoiceAsk): Call | null;
  learn(result: LoadResult): void;
  /** A chosen call was not sent: it may be chosen again. */
  release(call: Call): void;
  /** The planner thinks so long that a second choice would delay the call of the first. */
  readonly isSlow: boolean;
  /** Releases the draft. */
  close(): void;
}

export type ChoiceAsk = Omit<PlanInput, 'most'>;

export interface Prospect extends Pick<Plan, 'wakeAtMs' | 'drift'> {
  readonly isDue: boolean;
}

export function openChoice(planner: Planner, clock: Pick<Clock, 'now'>): Choice {
  let tookMs = 0;
  let draft: { readonly plan: Plan; readonly validUntilMs: number } | null = null;

  function drop(): void {
    for (const call of draft?.plan.calls ?? []) planner.release(call);
    draft = null;
  }

  function current(ask: ChoiceAsk): Plan {
    if (draft !== null && clock.now() > draft.validUntilMs) drop();
    if (draft !== null) return draft.plan;
    const startedMs = clock.now();
    const plan = planner.next({ ...ask, most: 1 });
    tookMs = clock.now() - startedMs;
    const validMs = Math.max(DRAFT_VALID_MS, DRAFT_VALID_PER_MS * tookMs);
    draft = { plan, validUntilMs: clock.now() + validMs };
    return plan;
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
    get isSlow() {
      return tookMs >= SLOW_MS;
    },
    close: drop,
  };
}

const SLOW_MS = 20;
/** With time alone, waiting targets become due: an older draft is chosen again. */
const DRAFT_VALID_MS = 50;
/** A planner that thinks longer than a slot lasts must not think again in the slot. */
const DRAFT_VALID_PER_MS = 20;
