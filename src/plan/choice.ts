import type { Call } from '../call.ts';
import type { Clock } from '../clock.ts';
import type { LoadResult } from '../knowledge.ts';
import type { Plan, PlanInput, Planner } from '../planner.ts';

/**
 * Chooses one call at a time. A draft is planned before its slot, so that a slow planner misses no slot. If a response
 * arrives before the slot, the call is chosen again.
 */
export interface Choice {
  /** Reports whether a call is due. The call itself is chosen at the slot. */
  look(ask: ChoiceAsk): Prospect;
  /** The best call by everything known now; null: nothing is due. */
  choose(ask: ChoiceAsk): Call | null;
  learn(result: LoadResult): void;
  /** Takes back a chosen call that was not sent. */
  release(call: Call): void;
  /** The planner takes so long that a second choice would delay the call of the first. */
  readonly isSlow: boolean;
  /** Releases the draft. */
  close(): void;
}

export type ChoiceAsk = Omit<PlanInput, 'most'>;

export interface Prospect extends Pick<Plan, 'wakeAtMs' | 'drift'> {
  readonly isDue: boolean;
}

export function openChoice(planner: Planner, clock: Pick<Clock, 'now'>): Choice {
  let planningMs = 0;
  let draft: { readonly plan: Plan; readonly validUntilMs: number } | null = null;

  function dropDraft(): void {
    for (const call of draft?.plan.calls ?? []) planner.release(call);
    draft = null;
  }

  function currentPlan(ask: ChoiceAsk): Plan {
    if (draft !== null && clock.now() > draft.validUntilMs) dropDraft();
    if (draft !== null) return draft.plan;
    const startedMs = clock.now();
    const plan = planner.next({ ...ask, most: 1 });
    planningMs = clock.now() - startedMs;
    const validMs = Math.max(DRAFT_VALID_MS, DRAFT_VALID_PER_MS * planningMs);
    draft = { plan, validUntilMs: clock.now() + validMs };
    return plan;
  }

  return {
    look: (ask) => {
      const { calls, wakeAtMs, drift } = currentPlan(ask);
      const isDue = calls.length > 0;
      if (!isDue) draft = null;
      return { isDue, wakeAtMs, drift };
    },
    choose: (ask) => {
      const [call = null] = currentPlan(ask).calls;
      draft = null;
      return call;
    },
    learn: (result) => {
      // The drafted call is released first, so that the planner may choose it again with the new evidence.
      dropDraft();
      planner.learn(result);
    },
    release: (call) => {
      dropDraft();
      planner.release(call);
    },
    get isSlow() {
      return planningMs >= SLOW_MS;
    },
    close: dropDraft,
  };
}

const SLOW_MS = 20;
/** Targets become due with time: an older draft is planned again. */
const DRAFT_VALID_MS = 1000;
/** Times the planning time. A planner slower than a slot must not plan again within the slot. */
const DRAFT_VALID_PER_MS = 20;
