/**
 * Texts of known companies, in the order of their code points: what an index answers without a look at the companies. Of
 * several that one company has, each beginning is to count once: so the beginnings that it shares with another of them,
 * the empty one first, are that one's.
 */
export interface CountedInOrder {
  /** How many stand at or after `from` and before `to`, and share at most so many of their beginnings. */
  countBetween(from: string, to: string, mostShared: number): number;
  /** About so many entries from `from` on, those before `to`. */
  stretch(from: string, to: string, ask: StretchAsk): Stretch;
  /** The text so many places after the first that stands at or after `from`; null: there are fewer. */
  at(from: string, places: number): string | null;
}

export interface StretchAsk {
  readonly size: number;
  /** Those that share more are not counted. */
  readonly mostShared: number;
}

/** Neighbours; those that are the very same stand in one. */
export interface Stretch {
  /** How many share none of their beginnings, one, and so on. */
  readonly shares: readonly number[];
  /** Where the next ones begin; null: there are none. */
  readonly next: string | null;
}

/** Texts of which each company has one. */
export interface TextsInOrder extends CountedInOrder {
  countBetween(from: string, to: string): number;
  /** Every one. */
  all(): Iterable<string>;
  /** Every one that this text is a part of. A look at all of them. */
  containing(part: string): Iterable<string>;
}

/** Stands after every text that begins with this one. */
export function afterAll(prefix: string): string {
  return prefix + LAST_CODE_POINT;
}

/** The first text that can stand after this one. */
export function nextAfter(text: string): string {
  return `${text}\0`;
}

/** A stretch, walked to its end and then counted. `share`: how many of those between share none of their beginnings, and so on. */
export function stretchOf(
  { at, share }: Pick<CountedInOrder, 'at'> & { share(from: string, to: string, most: number): number[] },
  ...[from, to, { size, mostShared }]: Parameters<CountedInOrder['stretch']>
): Stretch {
  const next = nextDifferent({ at }, from, size);
  const isLast = next === null || inOrder(next, to) >= 0;
  return { shares: share(from, isLast ? to : next, mostShared), next: isLast ? null : next };
}

/** Different texts, the first and then one every so many places. */
export function* spreadOver(texts: CountedInOrder, places: number): Generator<string> {
  for (let next = texts.at('', 0); next !== null; next = nextDifferent(texts, next, places)) yield next;
}

/** The text so many places on, or, where more companies than that have the very same text, the one after it. */
function nextDifferent(texts: Pick<CountedInOrder, 'at'>, from: string, places: number): string | null {
  const later = texts.at(from, places);
  return later === from ? texts.at(nextAfter(from), 0) : later;
}

/** Texts held in memory. */
export class SortedTexts implements TextsInOrder {
  readonly #texts: string[];

  constructor(texts: Iterable<string>) {
    this.#texts = [...texts].sort(inOrder);
  }

  add(text: string): void {
    this.#texts.splice(this.#placeOf(text), 0, text);
  }

  countBetween(from: string, to: string): number {
    return Math.max(0, this.#placeOf(to) - this.#placeOf(from));
  }

  stretch(...ask: Parameters<TextsInOrder['stretch']>): Stretch {
    const share = (from: string, to: string) => [this.countBetween(from, to)];
    return stretchOf({ at: this.at.bind(this), share }, ...ask);
  }

  at(from: string, places: number): string | null {
    return this.#texts[this.#placeOf(from) + places] ?? null;
  }

  all(): Iterable<string> {
    return this.#texts;
  }

  containing(part: string): string[] {
    return this.#texts.filter((text) => text.includes(part));
  }

  /** How many stand before it. */
  #placeOf(text: string): number {
    return firstPlace(this.#texts.length, (place) => inOrder(this.#texts[place] as string, text) >= 0);
  }
}

/** The first of so many places from which on something holds; `places`: it holds nowhere. */
export function firstPlace(places: number, holds: (place: number) => boolean): number {
  let low = 0;
  let high = places;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** By code points, as SQLite compares UTF-8. JavaScript compares halves of surrogate pairs, which come too early. */
export function inOrder(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const a = one.charCodeAt(at);
    const b = other.charCodeAt(at);
    if (a !== b) return rankOf(a) - rankOf(b);
  }
  return one.length - other.length;
}

/** Surrogates stand for what comes after all that is written without them. */
function rankOf(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit > LAST_SURROGATE ? unit - SURROGATES : unit + SURROGATES;
}

const LAST_CODE_POINT = '\u{10ffff}';
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;
const SURROGATES = 0x2000;

/** The first index in [0, length) for which `before` no longer holds; `before` must be monotone. */
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

/** Companies that have a word which begins so, or is so. */
export interface CompaniesWith {
  /** '': all. */
  readonly beside: string;
  readonly isWhole: boolean;
}

export const ALL_COMPANIES: CompaniesWith = { beside: '', isWhole: false };

/** The words of such companies, in the order of their code points: what an index answers without a look at the names. */
export interface WordsInOrder extends CountedInOrder {
  /** The words that most companies have, each with how many; the most frequent first, and the shorter of two. */
  ranked(most: number): [word: string, companies: number][];
  totals(): WordTotals;
}

export interface WordTotals {
  /** Companies that have any word. */
  readonly companies: number;
  /** Words, each counted once for each company. */
  readonly words: number;
  readonly different: number;
}
