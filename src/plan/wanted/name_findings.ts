import type { QueryState } from '../../knowledge.ts';
import { type Candidate, NameCandidates } from '../../names/name_candidates.ts';
import { comparable } from '../../names/similarity.ts';
import type { NameQuery } from './name_queries.ts';

/** What was found for one wanted name. */
export type Finding =
  | { readonly is: 'open' }
  /** Exactly one company has this name. */
  | { readonly is: 'found'; readonly company: Candidate }
  /**
   * Several companies have this name, or companies have only similar names. A person must choose. The best candidate
   * comes first.
   */
  | { readonly is: 'ambiguous'; readonly candidates: readonly Candidate[] }
  | { readonly is: 'not_found' };

/**
 * `no`: the name has not been searched yet. `partly`: other companies may also have this name. `whole`: all companies
 * with this name have been seen.
 */
type Searched = 'no' | 'partly' | 'whole';

/** What was found for each wanted name, and how completely each name has been searched. */
export class NameFindings {
  readonly #names: readonly string[];
  readonly #candidates: NameCandidates;
  readonly #searched: Searched[];

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#candidates = new NameCandidates(names);
    this.#searched = names.map(() => 'no');
  }

  see(entityId: string, name: string): void {
    this.#candidates.see(entityId, name);
  }

  finding(at: number): Finding {
    const searched = this.#searched[at];
    if (searched === 'no') return { is: 'open' };
    const same = this.#candidates.same(at);
    const [first] = same;
    if (first !== undefined && same.length === 1 && searched !== 'partly')
      return { is: 'found', company: first };
    const candidates = first !== undefined ? same : this.#candidates.of(at);
    return candidates.length > 0 ? { is: 'ambiguous', candidates } : { is: 'not_found' };
  }

  /** Returns whether the name has not been searched yet. */
  isOpen(at: number): boolean {
    return this.#searched[at] === 'no';
  }

  /**
   * Marks names as searched after a query's state has changed. A complete listing covers all names that the query
   * finds. A query equal to a name can cover that name even without a complete listing. `firstNames` are the names on
   * the query's first page, in the upstream's order.
   */
  conclude(query: NameQuery, state: QueryState, firstNames: readonly string[]): void {
    if (state.status === 'complete') for (const at of query.names) this.#markSearched(at, 'whole');
    else {
      for (const at of query.wholes) if (this.#isRankedFirst(at, firstNames)) this.#markSearched(at, 'whole');
      const isExhausted = state.status !== 'open' || state.pages >= MAX_PAGES_PER_NAME;
      if (isExhausted) for (const at of query.wholes) this.#markSearched(at, 'partly');
    }
  }

  /** Marks the names that equal a query as searched after the hunt has given up on the query. */
  giveUp({ wholes }: NameQuery): void {
    for (const at of wholes) this.#markSearched(at, 'partly');
  }

  /**
   * Returns whether the page shows all companies with this name. It does if these companies come first and other names
   * follow, because the upstream then ranks exact matches first.
   */
  #isRankedFirst(at: number, names: readonly string[]): boolean {
    const wanted = comparable(this.#names[at] as string);
    const isSame = names.map((name) => comparable(name) === wanted);
    const firstOther = isSame.indexOf(false);
    return firstOther > 0 && !isSame.includes(true, firstOther);
  }

  #markSearched(at: number, how: Searched): void {
    if (this.#searched[at] !== 'whole') this.#searched[at] = how;
  }
}

export const MAX_PAGES_PER_NAME = 2;
