import type { QueryState } from '../../knowledge.ts';
import { folded, wordsOf } from '../../names/folding.ts';
import type { Semantics } from '../../names/query_matching.ts';

/** A query that could be asked for wanted names, and what is known of it. */
export interface NameQuery {
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

export interface NameQueryRules {
  readonly semantics: Semantics | null;
  readonly minLength: number;
  readonly pageSize: number;
  /** Results of one query that can be reached; Infinity: all. */
  readonly window: number;
}

/** All queries that find any of the wanted names, and how many results each is expected to have. */
export class NameQueries {
  readonly #rules: NameQueryRules;
  readonly #texts = new Map<string, NameQuery>();
  readonly #ofName: (readonly NameQuery[])[];
  /** Of each name, word by word. */
  readonly #byWord: (readonly (readonly NameQuery[])[])[];
  readonly #wanted: number;
  /** Texts of each length that one or two of the wanted names share. */
  readonly #seenOnce: number[] = [];
  readonly #seenTwice: number[] = [];
  #known = 0;
  #registryTotal: number | null = null;
  /** Sums over first answers: how many results there were, and how many were expected. */
  #answered = 0;
  #expected = 0;

  constructor(names: readonly string[], rules: NameQueryRules) {
    this.#rules = rules;
    this.#wanted = names.length;
    const texts = names.map((name) => nameTextsOf(rules.semantics, name, rules.minLength));
    this.#byWord = texts.map(({ shared }, at) =>
      shared.map((word) => word.map((text) => this.#enter(text, at))),
    );
    this.#ofName = texts.map(({ whole }, at) => [
      this.#enter(whole, at, 'whole'),
      ...(this.#byWord[at] ?? []).flat(),
    ]);
    for (const { text, names } of this.#texts.values()) {
      const totals = names.length === 1 ? this.#seenOnce : names.length === 2 ? this.#seenTwice : [];
      totals[text.length] = (totals[text.length] ?? 0) + 1;
    }
  }

  get(text: string): NameQuery | undefined {
    return this.#texts.get(text);
  }

  all(): Iterable<NameQuery> {
    return this.#texts.values();
  }

  ofName(at: number): readonly NameQuery[] {
    return this.#ofName[at] ?? [];
  }

  wholeOf(at: number): NameQuery {
    return this.ofName(at)[0] as NameQuery;
  }

  /** Where names like it would be seen: the shortest text of a word that one call can show most of. */
  nearby(at: number): NameQuery | null {
    const most = NARROW_PAGES * this.#rules.pageSize;
    for (const word of this.#byWord[at] ?? []) {
      const narrow = word.findIndex(
        (query) => [...query.text].length >= SHORTEST_NEARBY && this.expectedTotal(query) <= most,
      );
      // Longer texts of a word that was looked at show nothing new; a shorter one may, where it showed little.
      const showedLittle = (word[narrow]?.state?.total ?? most) < most / 4;
      const chosen = word[showedLittle ? narrow - 1 : narrow];
      if (chosen !== undefined && chosen.state === null && !chosen.isLeft) return chosen;
    }
    return null;
  }

  /** Companies in the registry, as it says itself. */
  setRegistryTotal(total: number): void {
    this.#registryTotal = total;
  }

  /** A company became known. */
  see(name: string): void {
    this.#known++;
    if (this.#rules.semantics === null) return;
    for (const text of nameTextsOf(this.#rules.semantics, name, this.#rules.minLength).shared.flat()) {
      const found = this.#texts.get(text);
      if (found !== undefined) found.known++;
    }
  }

  /** A query answered: what others will answer is estimated better. */
  answered(query: NameQuery, state: QueryState): void {
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
  expectedTotal(query: NameQuery): number {
    if (query.state !== null) return query.state.total ?? query.state.rows;
    if (isWhole(query)) return 1;
    // Queries are chosen because they promise much: what is promised by few sightings is kept least (the winner's curse).
    return this.#estimate(query) * (1 + 1 / Math.sqrt(query.known + query.names.length));
  }

  #estimate(query: NameQuery): number {
    const seen = query.known + query.names.length;
    const shorter = this.#answeredPrefix(query.text);
    if (shorter !== null) {
      const seenThere = shorter.known + shorter.names.length;
      return (this.expectedTotal(shorter) * (seen + 0.5)) / (seenThere + 1);
    }
    if (this.#registryTotal === null) return Number.POSITIVE_INFINITY;
    const sample = this.#known + this.#wanted;
    const share = seen === 1 ? this.#shareOfSingle(query.text.length, sample) : (seen + 0.5) / (sample + FEW);
    return Math.max(1, this.#registryTotal * share * this.#correction());
  }

  /**
   * The share of a registry under a text that was seen once: by Good and Turing, as texts of its length that
   * were seen twice are to those seen once. Nearly every long text is alone.
   */
  #shareOfSingle(length: number, sample: number): number {
    const once = this.#seenOnce[length] ?? 0;
    const twice = this.#seenTwice[length] ?? 0;
    return Math.min(1, (2 * twice + 0.1) / (once + 0.1)) / (sample + FEW);
  }

  /** Pages still to be asked until the listing is whole; Infinity: it cannot be. */
  pagesLeft(query: NameQuery): number {
    if (query.isLeft || query.state?.status === 'capped' || query.state?.status === 'refused')
      return Number.POSITIVE_INFINITY;
    const total = this.expectedTotal(query);
    if (total > this.#rules.window) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.ceil(total / this.#rules.pageSize) - (query.state?.pages ?? 0));
  }

  #answeredPrefix(text: string): NameQuery | null {
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

  #enter(text: string, at: number, as: 'whole' | 'part' = 'part'): NameQuery {
    const entry = this.#texts.get(text) ?? { ...BLANK, text, names: [], wholes: [] };
    entry.names.push(at);
    if (as === 'whole') entry.wholes.push(at);
    this.#texts.set(text, entry);
    return entry;
  }
}

/** It finds nothing but what has this very name, or begins with it. */
function isWhole({ names, wholes }: NameQuery): boolean {
  return names.length === wholes.length;
}

// A few wanted names are no sample of a registry: as many more are taken to lie elsewhere.
const FEW = 100;
const NARROW_PAGES = 2;
const SHORTEST_NEARBY = 3;
const BLANK = { known: 0, state: null, isLeft: false };
// One huge answer must not drown what all the others teach.
const MOST_LEARNED = 10_000;

/** Queries that find a wanted name: its own text, and shorter ones that it shares with others. */
export interface NameTexts {
  /** The name itself: finds it, and nearly nothing else. */
  readonly whole: string;
  /** Texts that this upstream surely matches with the name, none of them the whole: word by word, the shortest first. */
  readonly shared: readonly (readonly string[])[];
}

const LONGEST = 24;

/**
 * `semantics` null: not known, so that only the name itself is sure to find it. Words count only where every
 * tokenizer draws the same line: between spaces, and made of letters and digits.
 */
export function nameTextsOf(semantics: Semantics | null, name: string, minLength: number): NameTexts {
  const whole = folded(name).replace(/[.,]+$/u, '');
  const seen = new Set([whole]);
  const isUsable = (text: string) => {
    if (seen.has(text) || [...text].length < minLength) return false;
    seen.add(text);
    return true;
  };
  const words = semantics === null ? [] : sharedTexts(semantics, whole);
  return { whole, shared: words.map((texts) => texts.filter(isUsable)).filter((texts) => texts.length > 0) };
}

function sharedTexts(semantics: Semantics, whole: string): string[][] {
  const words = whole.split(' ').filter((word) => wordsOf(word)[0] === word);
  switch (semantics) {
    case 'prefix':
      return [prefixesOf(whole)];
    case 'token':
      return words.map((word) => [word]);
    case 'token_prefix':
    case 'substring':
      return words.map(prefixesOf);
  }
}

function prefixesOf(text: string): string[] {
  const characters = [...text].slice(0, LONGEST);
  // A space at the end is cut off by some upstreams and not by others.
  return characters
    .map((_, at) => characters.slice(0, at + 1).join(''))
    .filter((prefix) => !prefix.endsWith(' '));
}
