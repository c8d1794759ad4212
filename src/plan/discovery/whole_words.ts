import { nextAfter, type WordsInOrder } from '../../names/ordered_texts.ts';
import type { Extension, Extensions, KnownTexts, Spread } from './known_texts.ts';

interface WholeWordSettings {
  /** Common words, which are candidates even before any name is known. */
  readonly first: readonly Extension[];
  /** The word that all companies in this list have; null if there is none. It is no candidate, as it excludes none. */
  readonly beside: string | null;
  canBeSent(word: string): boolean;
}

/**
 * Known words, for an upstream that finds only whole words. The most frequent known words are the first candidates. The
 * frequency of a word in the known names estimates its frequency in the registry, as in the adaptive policy of Ntoulas,
 * Zerfos and Cho (JCDL 2005). The most frequent words and those of new companies are kept in memory, and an index counts
 * the others.
 */
export class WholeWords implements KnownTexts {
  readonly #words: WordsInOrder;
  readonly #settings: WholeWordSettings;
  /** The words in memory, with the number of companies that have each word. */
  #held: Map<string, number>;
  /** Added words that are not in memory yet, with the number of times that each was added. */
  readonly #added = new Map<string, number>();
  /** Maps each word to the number of companies that match it only after diacritics are stripped from their names. */
  readonly #plain = new Map<string, number>();
  #companies: number;
  #distinct: number;
  /** The sum of the company counts for all words. */
  #sum: number;

  constructor(words: WordsInOrder, settings: WholeWordSettings) {
    this.#words = words;
    this.#settings = settings;
    const { companies, different, words: sum } = words.totals();
    this.#companies = companies;
    this.#distinct = different;
    this.#sum = sum;
    this.#held = new Map(words.ranked(MIN_HELD));
    if (settings.beside === null || companies === 0) return;
    this.#distinct--;
    this.#sum -= this.#countOf(settings.beside);
  }

  /** Adds one company's words. They must already be in the index. */
  add(texts: readonly string[]): void {
    this.#companies++;
    for (const word of new Set(texts)) {
      if (word === this.#settings.beside) continue;
      this.#sum++;
      const held = this.#held.get(word);
      if (held === undefined) this.#added.set(word, (this.#added.get(word) ?? 0) + 1);
      else this.#held.set(word, held + 1);
    }
  }

  addWithoutDiacritics(texts: readonly string[], plain: readonly string[]): void {
    if (texts.length === 0) this.#companies++;
    for (const word of new Set(plain)) {
      if (word === this.#settings.beside || texts.includes(word)) continue;
      this.#sum++;
      this.#plain.set(word, (this.#plain.get(word) ?? 0) + 1);
    }
  }

  known(query: string): number {
    if (query === '') return this.#companies;
    if (query === this.#settings.beside) return 0;
    this.#holdAdded();
    const held = this.#held.get(query) ?? this.#countOf(query);
    if (held > 0) this.#held.set(query, held);
    return held + (this.#plain.get(query) ?? 0);
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
    const { first, beside, canBeSent } = this.#settings;
    const likelihoods = new Map(first.map((one) => [one.text, one.likelihood]));
    let remaining = this.#sum;
    const share = (word: string, count: number, before = 0) => {
      likelihoods.set(word, before + count / this.#companies);
      remaining -= count;
    };
    for (const [word, count] of this.#held) if (count > 0 && word !== beside) share(word, count);
    for (const [word, count] of this.#plain) share(word, count, likelihoods.get(word));
    const isOpen = (word: string) => !isSent(word) && canBeSent(word);
    const open = [...likelihoods].filter(([word]) => isOpen(word)).sort((a, b) => b[1] - a[1]);
    if (open.length < MAX_OFFERED && this.#held.size < this.#distinct) {
      this.#held = new Map(this.#words.ranked(2 * this.#held.size + MAX_OFFERED));
      return this.extensions(query, isSent);
    }
    const [offered, others] = [open.slice(0, MAX_OFFERED), open.slice(MAX_OFFERED)];
    // Some common words are always offered although known words are usually more frequent, because predictions for
    // their kind are calibrated separately.
    const firstTexts = new Set(first.map(({ text }) => text));
    offered.push(...others.filter(([word]) => firstTexts.has(word)).slice(0, FIRST_OFFERED));
    let otherLikelihood = remaining / Math.max(1, this.#companies);
    for (const [, likelihood] of others) otherLikelihood += likelihood;
    return {
      offered: offered.map(([text, likelihood]) => ({ text, likelihood, hasNewCharacter: false })),
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
  }

  #countOf(word: string): number {
    return this.#words.countBetween(word, nextAfter(word), Number.MAX_SAFE_INTEGER);
  }
}

const MAX_OFFERED = 200;
const FIRST_OFFERED = 20;
const MIN_HELD = 2_000;
