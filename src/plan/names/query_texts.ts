import type { QueryState } from '../knowledge.ts';
import type { Semantics } from '../matching.ts';
import { type NameTexts, textsOf } from './texts.ts';

/** A query that could be asked for wanted names, and what is known of it. */
export interface QueryText {
  readonly text: string;
  /** The wanted names that it finds, by index. */
  readonly names: number[];
  /** Of these, the names that it is the whole of. */
  readonly wholes: number[];
  /** Known companies that it finds. */
  known: number;
  state: QueryState | null;
  /** Asked as far as is worth it: the listing is cut off, refused, or left. */
  isLeft: boolean;
}

export interface TextRules {
  readonly semantics: Semantics | null;
  readonly minLength: number;
  readonly pageSize: number;
  /** Results of one query that can be reached; Infinity: all. */
  readonly window: number;
  /** Companies in the registry; null: nobody says. */
  readonly registryTotal: number | null;
}

/** All queries that find any of the wanted names, and how many results each is expected to have. */
export class QueryTexts {
  readonly #rules: TextRules;
  readonly #texts = new Map<string, QueryText>();
  readonly #ofName: (readonly QueryText[])[];
  readonly #wanted: number;
  #known = 0;
  /** Sums over first answers: how many results there were, and how many were expected. */
  #answered = 0;
  #expected = 0;

  constructor(names: readonly string[], rules: TextRules) {
    this.#rules = rules;
    this.#wanted = names.length;
    const texts = names.map((name) => textsOf(rules.semantics, name, rules.minLength));
    this.#ofName = texts.map((one, at) => this.#enter(one, at));
  }

  get(text: string): QueryText | undefined {
    return this.#texts.get(text);
  }

  all(): Iterable<QueryText> {
    return this.#texts.values();
  }

  ofName(at: number): readonly QueryText[] {
    return this.#ofName[at] ?? [];
  }

  wholeOf(at: number): QueryText {
    return this.ofName(at)[0] as QueryText;
  }

  /** A company became known. */
  see(name: string): void {
    this.#known++;
    if (this.#rules.semantics === null) return;
    for (const text of textsOf(this.#rules.semantics, name, this.#rules.minLength).shared) {
      const found = this.#texts.get(text);
      if (found !== undefined) found.known++;
    }
  }

  /** A query answered: what others will answer is estimated better. */
  answered(query: QueryText, state: QueryState): void {
    if (query.state === null && state.total !== null && !isWhole(query)) {
      this.#expected += Math.min(this.expectedTotal(query), MOST_LEARNED);
      this.#answered += Math.min(state.total, MOST_LEARNED);
    }
    query.state = state;
  }

  /**
   * Results that the query has or is expected to have. Known and wanted names together are a sample of the
   * registry; where a shorter text was answered, they only divide its total.
   */
  expectedTotal(query: QueryText): number {
    if (query.state !== null) return query.state.total ?? query.state.rows;
    if (isWhole(query)) return 1;
    const seen = query.known + query.names.length;
    const shorter = this.#answeredPrefix(query.text);
    if (shorter !== null) {
      const seenThere = shorter.known + shorter.names.length;
      return (this.expectedTotal(shorter) * (seen + 0.5)) / (seenThere + 1);
    }
    if (this.#rules.registryTotal === null) return Number.POSITIVE_INFINITY;
    const share = (seen + 0.5) / (this.#known + this.#wanted + 1);
    return this.#rules.registryTotal * share * this.#correction();
  }

  /** Pages still to be asked until the listing is whole; Infinity: it cannot be. */
  pagesLeft(query: QueryText): number {
    if (query.isLeft || query.state?.status === 'capped' || query.state?.status === 'refused')
      return Number.POSITIVE_INFINITY;
    const total = this.expectedTotal(query);
    if (total > this.#rules.window) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.ceil(total / this.#rules.pageSize) - (query.state?.pages ?? 0));
  }

  #answeredPrefix(text: string): QueryText | null {
    if (this.#rules.semantics === 'token') return null;
    for (let length = text.length - 1; length > 0; length--) {
      const shorter = this.#texts.get(text.slice(0, length));
      if (shorter?.state != null && shorter.state.total !== null) return shorter;
    }
    return null;
  }

  #correction(): number {
    const settle = 2 * this.#rules.pageSize;
    return (this.#answered + settle) / (this.#expected + settle);
  }

  #enter({ whole, shared }: NameTexts, at: number): QueryText[] {
    return [whole, ...shared].map((text, rank) => {
      const entry = this.#texts.get(text) ?? { ...BLANK, text, names: [], wholes: [] };
      entry.names.push(at);
      if (rank === 0) entry.wholes.push(at);
      this.#texts.set(text, entry);
      return entry;
    });
  }
}

/** It finds nothing but what has this very name, or begins with it. */
function isWhole({ names, wholes }: QueryText): boolean {
  return names.length === wholes.length;
}

const BLANK = { known: 0, state: null, isLeft: false };
// One huge answer must not drown what all the others teach.
const MOST_LEARNED = 10_000;
