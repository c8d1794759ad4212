import type { QueryState } from '../../knowledge.ts';
import type { Semantics } from '../../names/query_matching.ts';
import { nameTextsOf } from './name_texts.ts';

/** A query that finds at least one wanted name, with its state. */
export interface NameQuery {
  readonly text: string;
  /** The indexes of the wanted names that the query finds. */
  readonly names: number[];
  /** The indexes of the wanted names that equal the query. */
  readonly wholes: number[];
  /** The number of known companies that the query finds. */
  known: number;
  state: QueryState | null;
  /** Whether the hunt has given up on the query, so that no more pages are requested. */
  isAbandoned: boolean;
}

export interface NameQueryRules {
  readonly semantics: Semantics | null;
  readonly minLength: number;
  readonly pageSize: number;
  /** The cap: the maximum number of results that one query can return, or Infinity if there is no cap. */
  readonly window: number;
}

/** All queries that find at least one wanted name, and their expected totals. */
export class NameQueries {
  readonly #rules: NameQueryRules;
  readonly #queries = new Map<string, NameQuery>();
  readonly #ofName: (readonly NameQuery[])[];
  readonly #wantedCount: number;
  /**
   * For each query length, the number of queries that find exactly one wanted name (`#seenOnce`) or exactly two
   * (`#seenTwice`).
   */
  readonly #seenOnce: number[] = [];
  readonly #seenTwice: number[] = [];
  #knownCount = 0;
  #registryTotal: number | null = null;
  /**
   * The sum of the actual totals, for all queries whose first page was received. `#expectedTotals` is the sum of the
   * totals that were expected for the same queries.
   */
  #actualTotals = 0;
  #expectedTotals = 0;

  constructor(names: readonly string[], rules: NameQueryRules) {
    this.#rules = rules;
    this.#wantedCount = names.length;
    const texts = names.map((name) => nameTextsOf(rules.semantics, name, rules.minLength));
    this.#ofName = texts.map(({ whole, shared }, at) => [
      this.#enter(whole, at, 'whole'),
      ...shared.flat().map((text) => this.#enter(text, at)),
    ]);
    for (const { text, names } of this.#queries.values()) {
      const totals = names.length === 1 ? this.#seenOnce : names.length === 2 ? this.#seenTwice : [];
      totals[text.length] = (totals[text.length] ?? 0) + 1;
    }
  }

  get(text: string): NameQuery | undefined {
    return this.#queries.get(text);
  }

  all(): Iterable<NameQuery> {
    return this.#queries.values();
  }

  ofName(at: number): readonly NameQuery[] {
    return this.#ofName[at] ?? [];
  }

  setRegistryTotal(total: number): void {
    this.#registryTotal = total;
  }

  see(name: string): void {
    this.#knownCount++;
    if (this.#rules.semantics === null) return;
    for (const text of nameTextsOf(this.#rules.semantics, name, this.#rules.minLength).shared.flat()) {
      const found = this.#queries.get(text);
      if (found !== undefined) found.known++;
    }
  }

  /**
   * Learns a query's state. The first total received for each query also corrects the expected totals of other queries.
   */
  learn(query: NameQuery, state: QueryState): void {
    if (query.state === null && state.total !== null && !isWhole(query)) {
      this.#expectedTotals += Math.min(this.expectedTotal(query), MAX_LEARNED_TOTAL);
      this.#actualTotals += Math.min(state.total, MAX_LEARNED_TOTAL);
    }
    query.state = state;
  }

  /**
   * Returns the query's total or, if it is unknown, an estimate from a sample: the known and the wanted names. If a
   * prefix of the query has a total, the sample determines only the query's share of that total.
   */
  expectedTotal(query: NameQuery): number {
    if (query.state !== null) return query.state.total ?? query.state.rows;
    if (isWhole(query)) return 1;
    // The margin corrects for the winner's curse: queries with overestimated yields are chosen more often. The margin
    // is larger if there are few matches in the sample.
    return this.#estimate(query) * (1 + 1 / Math.sqrt(query.known + query.names.length));
  }

  #estimate(query: NameQuery): number {
    const seen = query.known + query.names.length;
    const shorter = this.#prefixWithTotal(query.text);
    if (shorter !== null) {
      const seenByShorter = shorter.known + shorter.names.length;
      return (this.expectedTotal(shorter) * (seen + 0.5)) / (seenByShorter + 1);
    }
    if (this.#registryTotal === null) return Number.POSITIVE_INFINITY;
    const sample = this.#knownCount + this.#wantedCount;
    const share =
      seen === 1 ? this.#shareOfSingle(query.text.length, sample) : (seen + 0.5) / (sample + UNSEEN_NAMES);
    return Math.max(1, this.#registryTotal * share * this.#correction());
  }

  /**
   * Estimates the share of the registry that matches a query if the query finds one name in the sample: (2·n₂/n₁) /
   * sample size. This is the Good-Turing estimate (Good, Biometrika 40, 1953). Of the queries with this length, n₁ find
   * one name and n₂ find two names.
   */
  #shareOfSingle(length: number, sample: number): number {
    const once = this.#seenOnce[length] ?? 0;
    const twice = this.#seenTwice[length] ?? 0;
    return Math.min(1, (2 * twice + 0.1) / (once + 0.1)) / (sample + UNSEEN_NAMES);
  }

  /** Returns the number of pages until the listing is complete, or Infinity if it cannot become complete. */
  pagesLeft(query: NameQuery): number {
    if (query.isAbandoned || query.state?.status === 'capped' || query.state?.status === 'refused')
      return Number.POSITIVE_INFINITY;
    const total = this.expectedTotal(query);
    if (total > this.#rules.window) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.ceil(total / this.#rules.pageSize) - (query.state?.pages ?? 0));
  }

  #prefixWithTotal(text: string): NameQuery | null {
    if (this.#rules.semantics === 'token') return null;
    for (let length = text.length - 1; length > 0; length--) {
      const shorter = this.#queries.get(text.slice(0, length));
      if (shorter?.state != null && shorter.state.total !== null) return shorter;
    }
    return null;
  }

  #correction(): number {
    const priorWeight = 2 * this.#rules.pageSize;
    return (this.#actualTotals + priorWeight) / (this.#expectedTotals + priorWeight);
  }

  #enter(text: string, at: number, as: 'whole' | 'part' = 'part'): NameQuery {
    const entry = this.#queries.get(text) ?? { ...BLANK, text, names: [], wholes: [] };
    entry.names.push(at);
    if (as === 'whole') entry.wholes.push(at);
    this.#queries.set(text, entry);
    return entry;
  }
}

/** Returns whether the query equals a wanted name and finds no other wanted name. */
function isWhole({ names, wholes }: NameQuery): boolean {
  return names.length === wholes.length;
}

// A few wanted names do not represent the registry. The sample is therefore assumed to include this many additional
// names, which no query finds.
const UNSEEN_NAMES = 100;
const BLANK = { known: 0, state: null, isAbandoned: false };
// The cap on each learned total, so that a single huge total does not outweigh all others.
const MAX_LEARNED_TOTAL = 10_000;
