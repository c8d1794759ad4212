import type { SearchCall } from '../call.ts';
import type { Pending } from './pending.ts';

/**
 * The best search of a source. It waits, as a call in flight, while calls of other sources are more valuable. It is
 * dropped if a response may have made another search better.
 */
export class WaitingSearch {
  readonly #pending: Pending;
  readonly #next: (nowMs: number) => SearchCall | null;
  readonly #release: (search: SearchCall) => void;
  #search: SearchCall | null = null;

  constructor(options: {
    readonly pending: Pending;
    /** Returns the best search, which is then in flight, or null if there is none. */
    readonly next: (nowMs: number) => SearchCall | null;
    /** Takes back a search. */
    readonly release: (search: SearchCall) => void;
  }) {
    this.#pending = options.pending;
    this.#next = options.next;
    this.#release = options.release;
  }

  best(nowMs: number): SearchCall | null {
    this.#search ??= this.#next(nowMs);
    return this.#search;
  }

  planned(): void {
    this.#search = null;
  }

  drop(): void {
    const search = this.#search;
    this.#search = null;
    if (search === null) return;
    this.#pending.landed(search);
    this.#release(search);
  }
}
