import { type Call, FIRST_PAGE, queryKey, type SearchCall } from '../call.ts';
import type { LoadResult, QueryState } from '../knowledge.ts';
import type { Plan, PlanInput, Planner } from '../planner.ts';

/**
 * Plans the pages of contradicted listings first, because companies are missing from them. The other planner chooses
 * every other call. It may consider a listing as not worth another page, since it counts companies that have vanished.
 */
export class ContradictedListings implements Planner {
  readonly #planner: Planner;
  readonly #listings = new Map<string, QueryState>();
  readonly #waiting = new Map<string, number>();
  readonly #inFlight = new Set<string>();
  readonly #own = new WeakSet<Call>();

  constructor(planner: Planner, queries: Iterable<QueryState>) {
    this.#planner = planner;
    for (const state of queries) if (state.isContradicted) this.#listings.set(queryKey(state.query), state);
  }

  next(ask: PlanInput): Plan {
    const calls = this.#pagesToRead(ask);
    if (calls.length > 0) return { calls, wakeAtMs: null, drift: null };
    const plan = this.#planner.next(ask);
    const others = plan.calls.filter((call) => !this.#isReadAgain(call));
    for (const call of plan.calls) if (this.#isReadAgain(call)) this.#planner.release(call);
    return { ...plan, calls: others, wakeAtMs: others.length > 0 ? null : this.#wakeAtMs(plan.wakeAtMs) };
  }

  learn(result: LoadResult): void {
    const { call, query, failure } = result;
    if (call.kind === 'search') {
      const key = queryKey(call.query);
      this.#inFlight.delete(key);
      this.#waiting.delete(key);
      if (query?.isContradicted) this.#listings.set(key, query);
      else if (query !== null) this.#listings.delete(key);
      if (failure !== null && this.#listings.has(key)) this.#waiting.set(key, failure.nextTryAtMs);
    }
    this.#planner.learn(result);
  }

  release(call: Call): void {
    if (call.kind === 'search' && this.#own.has(call)) this.#inFlight.delete(queryKey(call.query));
    else this.#planner.release(call);
  }

  stop(kind: Call['kind']): void {
    if (kind === 'search') this.#listings.clear();
    this.#planner.stop?.(kind);
  }

  #pagesToRead({ nowMs, left, most }: PlanInput): SearchCall[] {
    const calls: SearchCall[] = [];
    for (const [key, { query, pages, next }] of this.#listings) {
      if (calls.length >= Math.min(most, left.calls)) break;
      if (this.#inFlight.has(key) || (this.#waiting.get(key) ?? 0) > nowMs) continue;
      const page = pages === 0 ? FIRST_PAGE : { index: pages, next };
      this.#inFlight.add(key);
      const reason = 'companies moved while the listing was read';
      const call: SearchCall = { kind: 'search', query, page, reason, expected: 1 };
      this.#own.add(call);
      calls.push(call);
    }
    return calls;
  }

  #isReadAgain(call: Call): boolean {
    return call.kind === 'search' && this.#listings.has(queryKey(call.query));
  }

  #wakeAtMs(other: number | null): number | null {
    const times = [...this.#waiting.values(), ...(other === null ? [] : [other])];
    return times.length === 0 ? null : Math.min(...times);
  }
}
