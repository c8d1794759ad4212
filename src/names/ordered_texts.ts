/**
 * Texts of known companies in the order of their code points. An index supports these lookups without a scan.
 *
 * A company may have several texts, such as the words of its name. A prefix counts each company once. A text
 * therefore records how many of its prefixes, the empty one included, it shares with the company's preceding text.
 * A count for a prefix of n characters includes the texts that share at most n prefixes.
 */
export interface CountedInOrder {
  /** The texts in [from, to) that share at most `mostShared` prefixes. */
  countBetween(from: string, to: string, mostShared: number): number;
  /** About `size` entries of [from, to), the first ones. */
  stretch(from: string, to: string, ask: StretchAsk): Stretch;
  /** The text `offset` entries after the first one at or after `from`; null: there are fewer. */
  at(from: string, offset: number): string | null;
}

export interface StretchAsk {
  readonly size: number;
  /** Texts that share more prefixes are not counted. */
  readonly mostShared: number;
}

/** Consecutive texts. Equal texts never belong to different stretches. */
export interface Stretch {
  /** shares[n]: the texts that share n prefixes. */
  readonly shares: readonly number[];
  /** The first text after the stretch; null: none before `to`. */
  readonly next: string | null;
}

/** Texts of which each company has one. */
export interface TextsInOrder extends CountedInOrder {
  countBetween(from: string, to: string): number;
  /** Every text, in order. */
  all(): Iterable<string>;
  /** Every text that contains the substring. A scan. */
  containing(substring: string): Iterable<string>;
}

/** A text that follows every text with this prefix. */
export function afterAll(prefix: string): string {
  return prefix + LAST_CODE_POINT;
}

/** The smallest text that follows this one. */
export function nextAfter(text: string): string {
  return `${text}\0`;
}

/** Builds a stretch: finds its end, then counts. `share` returns `shares` for the texts in [from, to). */
export function stretchOf(
  { at, share }: Pick<CountedInOrder, 'at'> & { share(from: string, to: string, most: number): number[] },
  ...[from, to, { size, mostShared }]: Parameters<CountedInOrder['stretch']>
): Stretch {
  const next = nextDifferent({ at }, from, size);
  const isLast = next === null || inOrder(next, to) >= 0;
  return { shares: share(from, isLast ? to : next, mostShared), next: isLast ? null : next };
}

/** A sample of distinct texts: the first one, then one every `step` entries. */
export function* spreadOver(texts: CountedInOrder, step: number): Generator<string> {
  for (let next = texts.at('', 0); next !== null; next = nextDifferent(texts, next, step)) yield next;
}

/** The text `step` entries later; if that one is equal, the next different text. */
function nextDifferent(texts: Pick<CountedInOrder, 'at'>, from: string, step: number): string | null {
  const later = texts.at(from, step);
  return later === from ? texts.at(nextAfter(from), 0) : later;
}

/** The lookups over texts in memory. */
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

  stretch(...ask: Parameters<TextsInOrder['stretch']>): Stretch {
    const share = (from: string, to: string) => [this.countBetween(from, to)];
    return stretchOf({ at: this.at.bind(this), share }, ...ask);
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

  /** The index of the first text at or after this one. */
  #indexOf(text: string): number {
    return lowerBound(this.#texts.length, (index) => inOrder(this.#texts[index] as string, text) < 0);
  }
}

/**
 * Compares by code points, as SQLite compares UTF-8. JavaScript compares UTF-16 units, which orders surrogate pairs
 * before U+E000 to U+FFFF.
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

/** Moves the surrogates behind all other UTF-16 units: code points above U+FFFF need them. */
function rankOf(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit > LAST_SURROGATE ? unit - SURROGATES : unit + SURROGATES;
}

const LAST_CODE_POINT = '\u{10ffff}';
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;
const SURROGATES = 0x2000;

/** Binary search: the first index in [0, length] for which `before` does not hold. `before` must be monotone. */
export function lowerBound(length: number, before: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Companies with a word that equals `beside` or, unless `isWhole`, starts with it. */
export interface CompaniesWith {
  /** '': all companies. */
  readonly beside: string;
  readonly isWhole: boolean;
}

export const ALL_COMPANIES: CompaniesWith = { beside: '', isWhole: false };

/** The words of a group of companies, in the order of their code points. */
export interface WordsInOrder extends CountedInOrder {
  /** The most frequent words with their companies, descending; of two equally frequent words, the shorter first. */
  ranked(most: number): [word: string, companies: number][];
  totals(): WordTotals;
}

export interface WordTotals {
  /** Companies that have at least one word. */
  readonly companies: number;
  /** Pairs of a company and one of its distinct words. */
  readonly words: number;
  readonly different: number;
}
