import { afterAll, type CountedInOrder, nextAfter } from '../../names/ordered_texts.ts';
import type { Counts } from './known_texts.ts';

interface PrefixCount {
  count: number;
  /** The number of texts that equal the prefix; null until counted. */
  ends: number | null;
  /** The characters that follow the prefix; null until listed. */
  followers: Set<string> | null;
}

/**
 * Counts texts by prefix with an ordered index. A count reads its range of the index once, and is then kept up to date.
 * A text must be in the index before `add` counts it.
 */
export class OrderedCounts implements Counts {
  readonly #texts: CountedInOrder;
  /** The counts computed so far, by prefix. */
  readonly #cache = new Map<string, PrefixCount>();

  constructor(texts: CountedInOrder) {
    this.#texts = texts;
  }

  add(text: string, countedTo = -1): void {
    let prefix = '';
    for (const character of text) {
      const cached = this.#cache.get(prefix);
      if (cached !== undefined && prefix.length > countedTo) cached.count++;
      cached?.followers?.add(character);
      prefix += character;
    }
    const whole = this.#cache.get(text);
    if (whole === undefined) return;
    if (text.length > countedTo) whole.count++;
    if (whole.ends !== null) whole.ends++;
  }

  count(prefix: string): number {
    return this.#of(prefix).count;
  }

  ends(text: string): number {
    const cached = this.#of(text);
    cached.ends ??= cached.count === 0 ? 0 : this.#texts.countBetween(text, nextAfter(text), ANY);
    return cached.ends;
  }

  followers(prefix: string): Map<string, number> {
    const cached = this.#of(prefix);
    cached.followers ??= new Set(cached.count === 0 ? [] : this.#listFollowers(prefix));
    return new Map([...cached.followers].map((character) => [character, this.count(prefix + character)]));
  }

  #of(prefix: string): PrefixCount {
    const existing = this.#cache.get(prefix);
    if (existing !== undefined) return existing;
    if (this.#cache.size >= MAX_CACHED) this.#forgetSmall();
    const count = this.#isNoFollower(prefix)
      ? 0
      : this.#texts.countBetween(prefix, afterAll(prefix), prefix.length);
    const counted: PrefixCount = { count, ends: null, followers: null };
    this.#cache.set(prefix, counted);
    return counted;
  }

  /** Yields the characters that follow the prefix, with one index lookup for each. */
  *#listFollowers(prefix: string): Generator<string> {
    for (let next = this.#texts.at(nextAfter(prefix), 0); next?.startsWith(prefix); ) {
      const character = String.fromCodePoint(next.codePointAt(prefix.length) as number);
      yield character;
      next = this.#texts.at(afterAll(prefix + character), 0);
    }
  }

  /** Returns whether no text has this prefix, according to the cached followers of the next shorter prefix. */
  #isNoFollower(prefix: string): boolean {
    const last = [...prefix.slice(-2)].at(-1) ?? '';
    const followers = this.#cache.get(prefix.slice(0, prefix.length - last.length))?.followers;
    return prefix !== '' && followers != null && !followers.has(last);
  }

  /** Removes the counts that can be read again quickly. */
  #forgetSmall(): void {
    for (const [prefix, { count }] of this.#cache) if (count < SMALL) this.#cache.delete(prefix);
  }
}

const MAX_CACHED = 50_000;
const SMALL = 1_000;
const ANY = Number.MAX_SAFE_INTEGER;
