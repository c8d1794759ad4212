import type { Call } from '../call.ts';
import type { Clock } from '../clock.ts';
import type { LoadResult } from '../knowledge.ts';
import type { Plan, PlanInput, Planner } from '../planner.ts';

type ChoiceAsk = Omit<PlanInput, 'most'>;

interface Prospect extends Pick<Plan, 'wakeAtMs' | 'drift'> {
  readonly isDue: boolean;
}

/**
 * Chooses one call at a time. The call is drafted before its slot starts, so that a slow planner misses no slot. If a
 * response arrives before the slot, the draft is dropped and a call is chosen again.
 */
export class Choice {
  readonly #planner: Planner;
  readonly #clock: Pick<Clock, 'now'>;
  #planningMs = 0;
  #draft: Plan | null = null;

  constructor(planner: Planner, clock: Pick<Clock, 'now'>) {
    this.#planner = planner;
    this.#clock = clock;
  }

  /** Whether planning is so slow that planning a second call would delay the first call. */
  get isSlow(): boolean {
    return this.#planningMs >= SLOW_MS;
  }

  /** Returns whether a call is due, without taking it. */
  look(ask: ChoiceAsk): Prospect {
    const { calls, wakeAtMs, drift } = this.#currentPlan(ask);
    const isDue = calls.length > 0;
    if (!isDue) this.#draft = null;
    return { isDue, wakeAtMs, drift };
  }

  /** Returns the best call, given what is known now, or null if nothing is due. */
  choose(ask: ChoiceAsk): Call | null {
    const [call = null] = this.#currentPlan(ask).calls;
    this.#draft = null;
    return call;
  }

  learn(result: LoadResult): void {
    // Release the drafted call before the planner learns, so that the planner can choose it again.
    this.close();
    this.#planner.learn(result);
  }

  /** Takes back a call that was chosen but not sent. */
  release(call: Call): void {
    this.close();
    this.#planner.release(call);
  }

  /** Drops the draft and releases its call. */
  close(): void {
    for (const call of this.#draft?.calls ?? []) this.#planner.release(call);
    this.#draft = null;
  }

  #currentPlan(ask: ChoiceAsk): Plan {
    if (this.#draft !== null) return this.#draft;
    const startedMs = this.#clock.now();
    this.#draft = this.#planner.next({ ...ask, most: 1 });
    this.#planningMs = this.#clock.now() - startedMs;
    return this.#draft;
  }
}

const SLOW_MS = 20;
