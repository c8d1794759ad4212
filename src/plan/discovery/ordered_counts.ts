import { afterAll, type CountedInOrder, inOrder, lowerBound, nextAfter } from '../../names/ordered_texts.ts';
import type { Counts } from './key_space.ts';

/** A block of consecutive texts, from `from` up to the next block. */
interface Block {
  readonly from: string;
  /** `shares[s]`: the number of texts that share `s` prefixes with another text of the same company. */
  readonly shares: number[];
  /** The number of texts added since the block was counted. */
  added: number;
}

interface PrefixCount {
  count: number;
  /** The number of texts that equal the prefix; null until counted. */
  ends: number | null;
  /** The characters that follow the prefix; null until listed. */
  followers: Set<string> | null;
}

/**
 * Counts texts by prefix with an ordered index. The index is divided into blocks of about 512 texts, and the blocks'
 * counts are stored as cumulative sums. The count for a range is the sum over the blocks inside the range, plus one
 * index lookup at each end. No range is scanned twice, and only the first text of each block is kept in memory.
 *
 * A text must be in the index before `add` counts it.
 */
export class OrderedCounts implements Counts {
  readonly #texts: CountedInOrder;
  /** The length of the longest counted prefix, in UTF-16 units. */
  readonly #maxLength: number;
  readonly #blocks: Block[];
  /** Blocks that are now too large and must be divided. */
  readonly #oversized = new Set<Block>();
  /** `sums[s][b]`: the number of texts before block `b` that share at most `s` prefixes. Null if outdated. */
  #sums: readonly Float64Array[] | null = null;
  /** The counts computed so far, by prefix. */
  readonly #cache = new Map<string, PrefixCount>();

  constructor(texts: CountedInOrder, maxLength: number) {
    this.#texts = texts;
    this.#maxLength = maxLength;
    this.#blocks = this.#blocksBetween('', END);
  }

  add(text: string, countedTo = -1): void {
    const shared = countedTo + 1;
    const block = this.#blocks[this.#blockOf(text)] as Block;
    block.shares[shared] = (block.shares[shared] ?? 0) + 1;
    if (++block.added >= MAX_BLOCK_SIZE) this.#oversized.add(block);
    this.#sums = null;
    let prefix = '';
    for (const character of text) {
      const cached = this.#cache.get(prefix);
      if (cached !== undefined && prefix.length >= shared) cached.count++;
      cached?.followers?.add(character);
      prefix += character;
    }
    const whole = this.#cache.get(text);
    if (whole === undefined) return;
    if (text.length >= shared) whole.count++;
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
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    const counted: PrefixCount = { count: this.#countOf(prefix), ends: null, followers: null };
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

  #countOf(prefix: string): number {
    if (this.#isNoFollower(prefix)) return 0;
    this.#divideOversized();
    const end = afterAll(prefix);
    const first = this.#blockOf(prefix);
    const last = this.#blockOf(end);
    if (first === last) return this.#texts.countBetween(prefix, end, prefix.length);
    const allSums = this.#cumulativeSums();
    const sums = allSums[Math.min(prefix.length, allSums.length - 1)] as Float64Array;
    const whole = (sums[last] as number) - (sums[first + 1] as number);
    const before = this.#texts.countBetween(prefix, this.#endOf(first), prefix.length);
    const after = this.#texts.countBetween((this.#blocks[last] as Block).from, end, prefix.length);
    return before + whole + after;
  }

  /** Returns whether no text has this prefix, according to the cached followers of the next shorter prefix. */
  #isNoFollower(prefix: string): boolean {
    const last = [...prefix.slice(-2)].at(-1) ?? '';
    const followers = this.#cache.get(prefix.slice(0, prefix.length - last.length))?.followers;
    return prefix !== '' && followers != null && !followers.has(last);
  }

  #cumulativeSums(): readonly Float64Array[] {
    if (this.#sums !== null) return this.#sums;
    const size = this.#blocks.reduce((longest, { shares }) => Math.max(longest, shares.length), 1);
    const sums = Array.from({ length: size }, () => new Float64Array(this.#blocks.length + 1));
    const totals = new Float64Array(size);
    for (const [at, { shares }] of this.#blocks.entries()) {
      let sum = 0;
      for (const [shared, sumsOfShared] of sums.entries()) {
        sum += shares[shared] ?? 0;
        totals[shared] = (totals[shared] as number) + sum;
        sumsOfShared[at + 1] = totals[shared] as number;
      }
    }
    this.#sums = sums;
    return sums;
  }

  #divideOversized(): void {
    for (const { from } of this.#oversized) {
      const index = this.#blockOf(from);
      this.#blocks.splice(index, 1, ...this.#blocksBetween(from, this.#endOf(index)));
      this.#sums = null;
    }
    this.#oversized.clear();
  }

  #blocksBetween(start: string, end: string): Block[] {
    const blocks: Block[] = [];
    for (let from: string | null = start; from !== null; ) {
      const { shares, next } = this.#texts.stretch(from, end, {
        size: BLOCK_SIZE,
        mostShared: this.#maxLength,
      });
      blocks.push({ from, shares: [...shares], added: 0 });
      from = next;
    }
    return blocks;
  }

  /** Returns the index of the block that the text is in. */
  #blockOf(text: string): number {
    const later = ({ from }: Block) => inOrder(from, text) > 0;
    return lowerBound(this.#blocks.length, (index) => !later(this.#blocks[index] as Block)) - 1;
  }

  #endOf(index: number): string {
    return this.#blocks[index + 1]?.from ?? END;
  }
}

const END = afterAll('');
const BLOCK_SIZE = 512;
const MAX_BLOCK_SIZE = 4 * BLOCK_SIZE;
const MAX_CACHED = 50_000;
const ANY = Number.MAX_SAFE_INTEGER;
