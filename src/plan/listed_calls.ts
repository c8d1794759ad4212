import type { Call } from '../call.ts';
import type { Planner } from '../planner.ts';
import type { Candidate, Guard, Source } from './candidate.ts';
import { Pending } from './pending.ts';
import { RankedPlanner } from './ranked_planner.ts';

/** Opens a planner for these calls in this order, each of which is sent once. */
export function planCalls(calls: readonly Call[], guards: readonly Guard[]): Planner {
  return new RankedPlanner({
    sources: [new ListedCalls(calls)],
    guards,
    pending: new Pending([]),
    kinds: new Set(),
    knownCount: () => 0,
  });
}

class ListedCalls implements Source {
  readonly #left: Call[];

  constructor(calls: readonly Call[]) {
    this.#left = [...calls];
  }

  best(): Candidate | null {
    const [call] = this.#left;
    return call === undefined ? null : { call, value: 1, planned: () => this.#left.shift() };
  }

  release(call: Call): void {
    this.#left.unshift(call);
  }
}
