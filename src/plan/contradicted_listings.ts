import { type PageRef, queryKey, type SearchCall, type SearchQuery, targetOf } from '../call.ts';
import type { Failure, LoadResult, QueryState } from '../knowledge.ts';
import { nextPageOf } from '../load_result.ts';
import type { PlanInput } from '../planner.ts';
import type { Candidate, Source } from './candidate.ts';
import type { Pending } from './pending.ts';

/**
 * Proposes the pages of contradicted listings, because companies are missing from them. They come first. Discovery may
 * consider such a listing as not worth another page, since it counts companies that have vanished. Pages that could not be
 * read in an earlier run are requested once more.
 */
export class ContradictedListings implements Source {
  readonly #pending: Pending;
  readonly #listings = new Map<string, QueryState>();
  /** The unread pages by target. */
  readonly #unread = new Map<string, SearchCall>();

  constructor(queries: Iterable<QueryState>, pending: Pending, failures: readonly Failure[] = []) {
    this.#pending = pending;
    const failed = failures.flatMap(({ kind, target }) => (kind === 'search' ? (pageIn(target) ?? []) : []));
    const pagesByKey = Map.groupBy(failed, ({ key }) => key);
    for (const state of queries) {
      const key = queryKey(state.query);
      if (state.isContradicted) this.#listings.set(key, state);
      for (const { target, index } of pagesByKey.get(key) ?? [])
        if (index < state.pages)
          this.#unread.set(target, pageOf(state.query, { index, next: null }, 'could not be read before'));
    }
  }

  best({ nowMs }: PlanInput): Candidate | null {
    const pages = [...this.#listings.values()].map((state) =>
      pageOf(state.query, nextPageOf(state), 'companies moved while the listing was read'),
    );
    const isFree = (call: SearchCall) => this.#pending.isFree('search', targetOf(call), nowMs);
    const call = [...pages, ...this.#unread.values()].find(isFree);
    return call === undefined ? null : { call, value: Number.POSITIVE_INFINITY };
  }

  learn({ call, query }: LoadResult): void {
    if (call.kind !== 'search') return;
    this.#unread.delete(targetOf(call));
    if (query === null) return;
    const key = queryKey(call.query);
    if (query.isContradicted) this.#listings.set(key, query);
    else this.#listings.delete(key);
  }
}

/** Splits the target of a page after the first into its query's key and its index. */
function pageIn(
  target: string,
): { readonly target: string; readonly key: string; readonly index: number } | null {
  const [, key, index] = /^(.*)#(\d+)$/s.exec(target) ?? [];
  return key === undefined ? null : { target, key, index: Number(index) };
}

function pageOf(query: SearchQuery, page: PageRef, reason: string): SearchCall {
  return { kind: 'search', query, page, reason, expected: 1 };
}
