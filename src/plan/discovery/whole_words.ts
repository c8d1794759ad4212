import type { WordsInOrder } from '../../names/ordered_texts.ts';
import { nextAfter } from '../../names/ordered_texts.ts';
import type { Extension, Extensions, KnownTexts, Spread } from './key_space.ts';

/**
 * Texts that are found as a whole only: what was seen can be asked, the most frequent first. Of very many words those that
 * most companies have are held, and the index counts the others.
 */
export class WholeWords implements KnownTexts {
  readonly #words: WordsInOrder;
  readonly #first: readonly Extension[];
  readonly #firstTexts: ReadonlySet<string>;
  /** The word that all these companies have, so that it narrows nothing; null: none. */
  readonly #beside: string | null;
  readonly #held = new Map<string, number>();
  /** Words that came and are not held yet: how often they did. */
  readonly #arrived = new Map<string, number>();
  /** Of others that were asked for. */
  readonly #counted = new Map<string, number>();
  /** How many companies have words that are read as this one, and not this one itself. */
  readonly #plain = new Map<string, number>();
  #companies: number;
  /** Different words. */
  #different: number;
  /** Each counted once for each company. */
  #sum: number;

  constructor(words: WordsInOrder, first: readonly Extension[], beside: string | null) {
    this.#words = words;
    this.#first = first;
    this.#firstTexts = new Set(first.map(({ text }) => text));
    this.#beside = beside;
    const { companies, different, words: sum } = words.totals();
    this.#companies = companies;
    this.#different = different;
    this.#sum = sum;
    this.#hold(FEWEST_HELD);
    if (beside === null || this.#companies === 0) return;
    this.#different--;
    this.#sum -= this.#countOf(beside);
  }

  /** The index holds them already. */
  add(texts: readonly string[]): void {
    this.#companies++;
    for (const word of new Set(texts)) {
      if (word === this.#beside) continue;
      this.#sum++;
      this.#counted.delete(word);
      const held = this.#held.get(word);
      if (held === undefined) this.#arrived.set(word, (this.#arrived.get(word) ?? 0) + 1);
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

  known(text: string): number {
    if (text === '') return this.#companies;
    return this.#knownMarked(text) + (this.#plain.get(text) ?? 0);
  }

  #knownMarked(text: string): number {
    this.#settle();
    const held = this.#held.get(text) ?? this.#counted.get(text);
    if (held !== undefined) return held;
    if (this.#counted.size >= MOST_COUNTED) this.#counted.clear();
    const count = text === this.#beside ? 0 : this.#countOf(text);
    this.#counted.set(text, count);
    return count;
  }

  ending(text: string): number {
    return text === '' ? 0 : this.known(text);
  }

  spread(text: string): Spread {
    if (text !== '') return { ways: 0, each: 1 };
    this.#settle();
    return { ways: this.#different, each: Math.max(1, this.#sum / Math.max(1, this.#companies)) };
  }

  extensions(text: string, isAsked: (text: string) => boolean): Extensions {
    if (text !== '') return { offered: [], otherwise: 1, asked: 0, isTruncated: false };
    this.#settle();
    const likelihoods = new Map(this.#first.map((one) => [one.text, one.likelihood]));
    let rest = this.#sum;
    for (const [word, count] of this.#held) {
      likelihoods.set(word, count / this.#companies);
      rest -= count;
    }
    for (const [word, count] of this.#plain) {
      likelihoods.set(word, (likelihoods.get(word) ?? 0) + count / this.#companies);
      rest -= count;
    }
    const open = [...likelihoods].filter(([word]) => !isAsked(word)).sort((a, b) => b[1] - a[1]);
    if (open.length < MOST_OFFERED && this.#held.size < this.#different) {
      this.#hold(2 * this.#held.size + MOST_OFFERED);
      return this.extensions(text, isAsked);
    }
    const [offered, others] = [open.slice(0, MOST_OFFERED), open.slice(MOST_OFFERED)];
    // Words that nobody has seen are few, and seldom as frequent as those that were: how well they do is learned apart.
    offered.push(...others.filter(([word]) => this.#firstTexts.has(word)).slice(0, FIRST_OFFERED));
    let otherwise = rest / Math.max(1, this.#companies);
    for (const [, likelihood] of others) otherwise += likelihood;
    return {
      offered: offered.map(([word, likelihood]) => ({ text: word, likelihood, isStrange: false })),
      otherwise,
      asked: 0,
      isTruncated: offered.length < open.length || this.#held.size < this.#different,
    };
  }

  /** Counts what has arrived. What no company had before is a new word. */
  #settle(): void {
    for (const [word, times] of this.#arrived) {
      const count = this.#countOf(word);
      this.#held.set(word, count);
      if (count <= times) this.#different++;
    }
    this.#arrived.clear();
    if (this.#held.size > MOST_HELD) this.#hold(MOST_HELD / 4);
  }

  #hold(most: number): void {
    this.#held.clear();
    for (const [word, count] of this.#words.ranked(most))
      if (word !== this.#beside) this.#held.set(word, count);
  }

  #countOf(word: string): number {
    return this.#words.countBetween(word, nextAfter(word), ANY);
  }
}

const ANY = Number.MAX_SAFE_INTEGER;
const MOST_OFFERED = 200;
const FIRST_OFFERED = 20;
const MOST_COUNTED = 50_000;
const FEWEST_HELD = 2_000;
const MOST_HELD = 200_000;
