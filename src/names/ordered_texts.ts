/**
 * The texts of known companies, sorted by code points. An index allows these lookups without a scan.
 *
 * A company may have several texts, such as the words in its name. The count for a prefix must include each company
 * only once. Each text therefore stores how many of its prefixes, including the empty prefix, it shares with the same
 * company's preceding text. The count for a prefix of n characters includes only texts that share at most n prefixes.
 * For example, the word `acorn` shares three prefixes with the word `acme` in the same name, so the count for `ac` does
 * not include it.
 */
export interface CountedInOrder {
  /** Returns the number of texts in [from, to) that share at most `mostShared` prefixes. */
  countBetween(from: string, to: string, mostShared: number): number;
  /** Returns the text `offset` entries after the first text at or after `from`, or null if there is none. */
  at(from: string, offset: number): string | null;
}

/** Texts of known companies, one text per company. */
export interface TextsInOrder extends CountedInOrder {
  countBetween(from: string, to: string): number;
  /** Returns every text, in order. */
  all(): Iterable<string>;
  /** Returns every text that contains the substring. It scans all texts. */
  containing(substring: string): Iterable<string>;
}

/** Returns a text that sorts after every text with this prefix. */
export function afterAll(prefix: string): string {
  return prefix + LAST_CODE_POINT;
}

/** Returns the first possible text after this one. */
export function nextAfter(text: string): string {
  return `${text}\0`;
}

/** Returns a sample of distinct texts: the first text, then one in every `step` texts. */
export function* spreadOver(texts: CountedInOrder, step: number): Generator<string> {
  for (let next = texts.at('', 0); next !== null; next = nextDifferent(texts, next, step)) yield next;
}

/** Returns the text `step` entries after `from`, or the next different text if that text equals `from`. */
function nextDifferent(texts: Pick<CountedInOrder, 'at'>, from: string, step: number): string | null {
  const later = texts.at(from, step);
  return later === from ? texts.at(nextAfter(from), 0) : later;
}

/** Implements the lookups with a sorted array in memory. */
export class SortedTexts implements TextsInOrder {
  readonly #texts: string[];

  constructor(texts: Iterable<string>) {
    this.#texts = [...texts].sort(inOrder);
  }

  add(text: string): void {
    this.#texts.splice(this.#indexOf(text), 0, text);
  }

  countBetween(from: string, to: string): number {
    return Math.max(0, this.#indexOf(to) - this.#indexOf(from));
  }

  at(from: string, offset: number): string | null {
    return this.#texts[this.#indexOf(from) + offset] ?? null;
  }

  all(): Iterable<string> {
    return this.#texts;
  }

  containing(substring: string): string[] {
    return this.#texts.filter((text) => text.includes(substring));
  }

  /** Returns the index of the first text that does not sort before this one. */
  #indexOf(text: string): number {
    return lowerBound(this.#texts.length, (index) => inOrder(this.#texts[index] as string, text) < 0);
  }
}

/**
 * Compares texts by code points, as SQLite does with UTF-8. JavaScript compares UTF-16 units, which sorts surrogate
 * pairs before U+E000 to U+FFFF.
 */
export function inOrder(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const a = one.charCodeAt(at);
    const b = other.charCodeAt(at);
    if (a !== b) return rankOf(a) - rankOf(b);
  }
  return one.length - other.length;
}

/** Returns the rank of a UTF-16 unit. Surrogates come last, because they encode the code points above U+FFFF. */
function rankOf(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit > LAST_SURROGATE ? unit - SURROGATES : unit + SURROGATES;
}

const LAST_CODE_POINT = '\u{10ffff}';
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;
const SURROGATES = 0x2000;

/**
 * Returns the first index in [0, length] for which `before` is false, by binary search. `before` must be true for all
 * indexes before it and false for all later indexes.
 */
export function lowerBound(length: number, before: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (before(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The companies that have a word equal to `beside` or, if `isWhole` is false, a word that starts with it. */
export interface CompaniesWith {
  /** The word; '' for all companies. */
  readonly beside: string;
  readonly isWhole: boolean;
}

export const ALL_COMPANIES: CompaniesWith = { beside: '', isWhole: false };

/** The words in the names of a group of companies, sorted by code points. */
export interface WordsInOrder extends CountedInOrder {
  /**
   * Returns the most frequent words, most frequent first, with the number of companies that have each word. Of two
   * equally frequent words, the shorter word comes first.
   */
  ranked(most: number): [word: string, companies: number][];
  totals(): WordTotals;
}

export interface WordTotals {
  /** The number of companies that have at least one word. */
  readonly companies: number;
  /** The number of distinct words in each company's name, summed over all companies. */
  readonly words: number;
  readonly different: number;
}
