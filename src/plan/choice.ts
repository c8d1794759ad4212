import type { Call } from '../call.ts';
import type { Clock } from '../clock.ts';
import type { LoadResult } from '../knowledge.ts';
import type { Plan, PlanInput, Planner } from '../planner.ts';

/**
 * Chooses one call at a time. The call is drafted before its slot starts, so that a slow planner misses no slot. If a
 * response arrives before the slot, the draft is dropped and a call is chosen again.
 */
export interface Choice {
  /** Returns whether a call is due, without taking it. */
  look(ask: ChoiceAsk): Prospect;
  /** Returns the best call, given what is known now, or null if nothing is due. */
  choose(ask: ChoiceAsk): Call | null;
  learn(result: LoadResult): void;
  /** Takes back a call that was chosen but not sent. */
  release(call: Call): void;
  /** Whether planning is so slow that planning a second call would delay the first call. */
  readonly isSlow: boolean;
  /** Drops the draft and releases its call. */
  close(): void;
}

type ChoiceAsk = Omit<PlanInput, 'most'>;

interface Prospect extends Pick<Plan, 'wakeAtMs' | 'drift'> {
  readonly isDue: boolean;
}

export function openChoice(planner: Planner, clock: Pick<Clock, 'now'>): Choice {
  let planningMs = 0;
  let draft: Plan | null = null;

  function dropDraft(): void {
    for (const call of draft?.calls ?? []) planner.release(call);
    draft = null;
  }

  function currentPlan(ask: ChoiceAsk): Plan {
    if (draft !== null) return draft;
    const startedMs = clock.now();
    draft = planner.next({ ...ask, most: 1 });
    planningMs = clock.now() - startedMs;
    return draft;
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
      // Release the drafted call before the planner learns, so that the planner can choose it again.
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
