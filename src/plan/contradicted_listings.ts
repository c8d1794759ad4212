import { type Call, queryKey, type SearchCall, targetOf } from '../call.ts';
import type { LoadResult, QueryState } from '../knowledge.ts';
import { nextPageOf } from '../load_result.ts';
import type { PlanInput } from '../planner.ts';
import type { Candidate, Source } from './candidate.ts';
import type { Pending } from './pending.ts';

/**
 * Proposes the pages of contradicted listings, because companies are missing from them. They come first. Discovery may
 * consider such a listing as not worth another page, since it counts companies that have vanished.
 */
export class ContradictedListings implements Source {
  readonly #pending: Pending;
  readonly #listings = new Map<string, QueryState>();

  constructor(queries: Iterable<QueryState>, pending: Pending) {
    this.#pending = pending;
    for (const state of queries) if (state.isContradicted) this.#listings.set(queryKey(state.query), state);
  }

  best(ask: PlanInput): Candidate | null {
    return this.#nextPage(ask) === null ? null : { kind: 'search', value: Number.POSITIVE_INFINITY };
  }

  take(ask: PlanInput): Call | null {
    return this.#nextPage(ask);
  }

  learn({ call, query }: LoadResult): void {
    if (call.kind !== 'search' || query === null) return;
    const key = queryKey(call.query);
    if (query.isContradicted) this.#listings.set(key, query);
    else this.#listings.delete(key);
  }

  release(): void {}

  #nextPage({ nowMs }: PlanInput): SearchCall | null {
    for (const state of this.#listings.values()) {
      const reason = 'companies moved while the listing was read';
      const { query } = state;
      const call: SearchCall = { kind: 'search', query, page: nextPageOf(state), reason, expected: 1 };
      if (this.#pending.isFree('search', targetOf(call), nowMs)) return call;
    }
    return null;
  }
}
