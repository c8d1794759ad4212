import type { Call, CallKind } from '../call.ts';
import type { LoadResult } from '../knowledge.ts';
import type { Plan, PlanInput, Planner } from '../planner.ts';
import type { Candidate, Guard, Source } from './candidate.ts';
import { Pending } from './pending.ts';
import { RankedPlanner } from './ranked_planner.ts';

/** Opens a planner that applies guards to another planner's calls, such as those of a backfill. */
export function guardedPlanner(planner: Planner, guards: readonly Guard[]): Planner {
  return new RankedPlanner({
    sources: [new PlannedCalls(planner)],
    ...{ guards, pending: new Pending([]), kinds: new Set<CallKind>(), knownCount: () => 0 },
  });
}

/** Proposes another planner's calls in its order. */
class PlannedCalls implements Source {
  readonly #planner: Planner;
  /** The planner's last plan. Its call waits until it is taken or dropped. */
  #plan: Plan = NOTHING;

  constructor(planner: Planner) {
    this.#planner = planner;
  }

  get wakeAtMs(): number | null {
    return this.#plan.wakeAtMs;
  }

  get drift(): string | null {
    return this.#plan.drift;
  }

  best(ask: PlanInput): Candidate | null {
    if (this.#plan.calls.length === 0) this.#plan = this.#planner.next({ ...ask, most: 1 });
    const [call] = this.#plan.calls;
    return call === undefined ? null : { kind: call.kind, value: 1 };
  }

  take(): Call | null {
    const [call = null] = this.#plan.calls;
    this.#plan = NOTHING;
    return call;
  }

  learn(result: LoadResult): void {
    this.#drop();
    this.#planner.learn(result);
  }

  release(call: Call): void {
    this.#drop();
    this.#planner.release(call);
  }

  #drop(): void {
    for (const call of this.#plan.calls) this.#planner.release(call);
    this.#plan = NOTHING;
  }
}

const NOTHING: Plan = { calls: [], wakeAtMs: null, drift: null };
