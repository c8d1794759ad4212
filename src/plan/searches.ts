import type { Call, SearchCall } from '../call.ts';
import type { LoadResult } from '../knowledge.ts';
import type { PlanInput } from '../planner.ts';
import type { Candidate, Source } from './candidate.ts';
import type { Goal } from './goal.ts';
import type { Pending } from './pending.ts';

/**
 * Proposes the best search for the first goal that needs one. The search waits, as a call in flight, while calls of
 * other sources are more valuable. It is dropped if a response may have made another search better.
 */
export class Searches implements Source {
  readonly findsCompanies = true;
  readonly #goals: readonly Goal[];
  readonly #pending: Pending;
  readonly #worth: (nowMs: number) => number;
  #search: SearchCall | null = null;

  constructor(options: {
    readonly goals: readonly Goal[];
    readonly pending: Pending;
    /** Returns the value of each company that a search is expected to find. If it is 0, no search is proposed. */
    readonly worth: (nowMs: number) => number;
  }) {
    this.#goals = options.goals;
    this.#pending = options.pending;
    this.#worth = options.worth;
  }

  best({ nowMs }: PlanInput): Candidate | null {
    const worth = this.#worth(nowMs);
    if (worth === 0) this.#drop();
    else this.#search ??= this.#next(nowMs);
    const call = this.#search;
    if (call === null) return null;
    const planned = () => {
      this.#search = null;
    };
    return { call, value: worth * call.expected, planned };
  }

  learn(result: LoadResult): void {
    if (result.call.kind === 'search') this.#drop();
    for (const goal of this.#goals) goal.learn(result);
  }

  release(call: Call): void {
    if (call.kind === 'search') for (const goal of this.#goals) goal.release(call);
  }

  #next(nowMs: number): SearchCall | null {
    for (const goal of this.#goals) {
      const search = goal.next(nowMs);
      if (search !== null) return search;
    }
    return null;
  }

  #drop(): void {
    const search = this.#search;
    this.#search = null;
    if (search === null) return;
    this.#pending.landed(search);
    this.release(search);
  }
}
