import type { WordsInOrder } from '../../names/ordered_texts.ts';
import { nextAfter } from '../../names/ordered_texts.ts';
import type { Extension, Extensions, KnownTexts, Spread } from './key_space.ts';

/**
 * Known words, for an upstream that finds only whole words. The most frequent known words are the first candidates. The
 * frequency of a word in the known names estimates its frequency in the registry, as in the adaptive policy of Ntoulas,
 * Zerfos and Cho (JCDL 2005). For a large registry, only the most frequent words are kept in memory, and an index
 * counts the others.
 */
export class WholeWords implements KnownTexts {
  readonly #words: WordsInOrder;
  readonly #first: readonly Extension[];
  readonly #firstTexts: ReadonlySet<string>;
  /**
   * The word that all companies in this list have; null if there is none. It is not a candidate, because it would
   * exclude no company.
   */
  readonly #beside: string | null;
  /** The words in memory, with the number of companies that have each word. */
  readonly #held = new Map<string, number>();
  /** Added words that are not in memory yet, with the number of times that each was added. */
  readonly #added = new Map<string, number>();
  /** Caches the index's company counts for words that are not in memory. */
  readonly #cache = new Map<string, number>();
  /** Maps each word to the number of companies that match it only after diacritics are stripped from their names. */
  readonly #plain = new Map<string, number>();
  #companies: number;
  #distinct: number;
  /** The sum of the company counts for all words. */
  #sum: number;

  /** `first` are common words, which are candidates even before any name is known. */
  constructor(words: WordsInOrder, first: readonly Extension[], beside: string | null) {
    this.#words = words;
    this.#first = first;
    this.#firstTexts = new Set(first.map(({ text }) => text));
    this.#beside = beside;
    const { companies, different, words: sum } = words.totals();
    this.#companies = companies;
    this.#distinct = different;
    this.#sum = sum;
    this.#hold(MIN_HELD);
    if (beside === null || this.#companies === 0) return;
    this.#distinct--;
    this.#sum -= this.#countOf(beside);
  }

  /** Adds one company's words. They must already be in the index. */
  add(texts: readonly string[]): void {
    this.#companies++;
    for (const word of new Set(texts)) {
      if (word === this.#beside) continue;
      this.#sum++;
      this.#cache.delete(word);
      const held = this.#held.get(word);
      if (held === undefined) this.#added.set(word, (this.#added.get(word) ?? 0) + 1);
      else this.#held.set(word, held + 1);
    }
  }

  addWithoutDiacritics(texts: readonly string[], plain: readonly string[]): void {
    if (texts.length === 0) this.#companies++;
    for (const word of new Set(plain)) {
      if (word === this.#beside || texts.includes(word)) continue;
      this.#sum++;
      this.#plain.set(word, (this.#plain.get(word) ?? 0) + 1);
    }
  }

  known(query: string): number {
    if (query === '') return this.#companies;
    return this.#knownLiterally(query) + (this.#plain.get(query) ?? 0);
  }

  #knownLiterally(word: string): number {
    this.#holdAdded();
    const count = this.#held.get(word) ?? this.#cache.get(word);
    if (count !== undefined) return count;
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    const counted = word === this.#beside ? 0 : this.#countOf(word);
    this.#cache.set(word, counted);
    return counted;
  }

  ending(query: string): number {
    return query === '' ? 0 : this.known(query);
  }

  spread(query: string): Spread {
    if (query !== '') return { distinct: 0, perCompany: 1 };
    this.#holdAdded();
    return { distinct: this.#distinct, perCompany: Math.max(1, this.#sum / Math.max(1, this.#companies)) };
  }

  /**
   * Returns the words as extensions of the empty query. Other queries have no extensions. The probability of a word is
   * the share of known companies that have it.
   */
  extensions(query: string, isSent: (query: string) => boolean): Extensions {
    if (query !== '') return { offered: [], otherLikelihood: 1, sentLikelihood: 0, isTruncated: false };
    this.#holdAdded();
    const likelihoods = new Map(this.#first.map((one) => [one.text, one.likelihood]));
    let remaining = this.#sum;
    for (const [word, count] of this.#held) {
      likelihoods.set(word, count / this.#companies);
      remaining -= count;
    }
    for (const [word, count] of this.#plain) {
      likelihoods.set(word, (likelihoods.get(word) ?? 0) + count / this.#companies);
      remaining -= count;
    }
    const open = [...likelihoods].filter(([word]) => !isSent(word)).sort((a, b) => b[1] - a[1]);
    if (open.length < MAX_OFFERED && this.#held.size < this.#distinct) {
      this.#hold(2 * this.#held.size + MAX_OFFERED);
      return this.extensions(query, isSent);
    }
    const [offered, others] = [open.slice(0, MAX_OFFERED), open.slice(MAX_OFFERED)];
    // Some common words are always offered although known words are usually more frequent, because predictions for
    // their kind are calibrated separately.
    offered.push(...others.filter(([word]) => this.#firstTexts.has(word)).slice(0, FIRST_OFFERED));
    let otherLikelihood = remaining / Math.max(1, this.#companies);
    for (const [, likelihood] of others) otherLikelihood += likelihood;
    return {
      offered: offered.map(([word, likelihood]) => ({ text: word, likelihood, hasNewCharacter: false })),
      otherLikelihood,
      sentLikelihood: 0,
      isTruncated: offered.length < open.length || this.#held.size < this.#distinct,
    };
  }

  /** Counts the added words and moves them into memory. A word is new if only the added companies have it. */
  #holdAdded(): void {
    for (const [word, additions] of this.#added) {
      const count = this.#countOf(word);
      this.#held.set(word, count);
      if (count <= additions) this.#distinct++;
    }
    this.#added.clear();
    if (this.#held.size > MAX_HELD) this.#hold(MAX_HELD / 4);
  }

  /** Replaces the words in memory with the most frequent words. */
  #hold(size: number): void {
    this.#held.clear();
    for (const [word, count] of this.#words.ranked(size))
      if (word !== this.#beside) this.#held.set(word, count);
  }

  #countOf(word: string): number {
    return this.#words.countBetween(word, nextAfter(word), ANY);
  }
}

const ANY = Number.MAX_SAFE_INTEGER;
const MAX_OFFERED = 200;
const FIRST_OFFERED = 20;
const MAX_CACHED = 50_000;
const MIN_HELD = 2_000;
const MAX_HELD = 200_000;
