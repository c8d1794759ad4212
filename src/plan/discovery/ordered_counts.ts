import {
  afterAll,
  type CountedInOrder,
  inOrder,
  lowerBound,
  nextAfter,
  spreadOver,
} from '../../names/ordered_texts.ts';
import type { Counts } from './key_space.ts';

/** The texts from this one up to where the next block begins. */
interface Block {
  readonly from: string;
  /** How many share none of their beginnings with another text of the same company, one, and so on. */
  readonly shares: number[];
  /** Texts that came since it was counted. */
  added: number;
}

/** What was counted for one text. */
interface Counted {
  count: number;
  ends: number | null;
  followers: Set<string> | null;
}

/**
 * Counts by an index. A long range is the sum of whole blocks, counted once, and of the parts of blocks at both ends,
 * which the index counts: no range is walked twice, and no text is held but the first of each block. What the index holds
 * must have been added before anything is counted.
 */
export class OrderedCounts implements Counts {
  readonly #texts: CountedInOrder;
  /** Of the texts that are asked for, in UTF-16 units. */
  readonly #longest: number;
  readonly #blocks: Block[];
  /** Blocks that have become large. */
  readonly #large = new Set<Block>();
  /** By how many beginnings are shared at most: the texts before each block, and in all; null: to be added up again. */
  #sums: readonly Float64Array[] | null = null;
  readonly #counted = new Map<string, Counted>();

  constructor(texts: CountedInOrder, longest: number) {
    this.#texts = texts;
    this.#longest = longest;
    this.#blocks = this.#blocksBetween('', END);
  }

  /** About so many of the texts, spread evenly over all; fewer where there are fewer. */
  *sample(wanted: number): Generator<string> {
    const every = Math.ceil(this.#blocks.length / wanted);
    if (every === 1) yield* spreadOver(this.#texts, Math.ceil(this.count('') / wanted));
    else for (let at = 1; at < this.#blocks.length; at += every) yield (this.#blocks[at] as Block).from;
  }

  /** The index holds it already. */
  add(text: string, countedTo = -1): void {
    const shared = countedTo + 1;
    const block = this.#blocks[this.#blockOf(text)] as Block;
    block.shares[shared] = (block.shares[shared] ?? 0) + 1;
    if (++block.added >= LARGEST) this.#large.add(block);
    this.#sums = null;
    let prefix = '';
    for (const character of text) {
      const counted = this.#counted.get(prefix);
      if (counted !== undefined && prefix.length >= shared) counted.count++;
      counted?.followers?.add(character);
      prefix += character;
    }
    const whole = this.#counted.get(text);
    if (whole === undefined) return;
    if (text.length >= shared) whole.count++;
    if (whole.ends !== null) whole.ends++;
  }

  count(text: string): number {
    return this.#of(text).count;
  }

  ends(text: string): number {
    const counted = this.#of(text);
    counted.ends ??= counted.count === 0 ? 0 : this.#texts.countBetween(text, nextAfter(text), ANY);
    return counted.ends;
  }

  followers(text: string): Map<string, number> {
    const counted = this.#of(text);
    counted.followers ??= new Set(counted.count === 0 ? [] : this.#followersOf(text));
    return new Map([...counted.followers].map((character) => [character, this.count(text + character)]));
  }

  #of(text: string): Counted {
    const before = this.#counted.get(text);
    if (before !== undefined) return before;
    if (this.#counted.size >= MOST_COUNTED) this.#counted.clear();
    const counted: Counted = { count: this.#countOf(text), ends: null, followers: null };
    this.#counted.set(text, counted);
    return counted;
  }

  *#followersOf(text: string): Generator<string> {
    for (let next = this.#texts.at(nextAfter(text), 0); next?.startsWith(text); ) {
      const character = String.fromCodePoint(next.codePointAt(text.length) as number);
      yield character;
      next = this.#texts.at(afterAll(text + character), 0);
    }
  }

  #countOf(text: string): number {
    if (this.#isKnownToFollowNone(text)) return 0;
    this.#divide();
    const end = afterAll(text);
    const first = this.#blockOf(text);
    const last = this.#blockOf(end);
    if (first === last) return this.#texts.countBetween(text, end, text.length);
    const sums = this.#addUp();
    const upTo = sums[Math.min(text.length, sums.length - 1)] as Float64Array;
    const whole = (upTo[last] as number) - (upTo[first + 1] as number);
    const begun = this.#texts.countBetween(text, this.#endOf(first), text.length);
    return begun + whole + this.#texts.countBetween((this.#blocks[last] as Block).from, end, text.length);
  }

  #isKnownToFollowNone(text: string): boolean {
    const last = [...text.slice(-2)].at(-1) ?? '';
    const followers = this.#counted.get(text.slice(0, text.length - last.length))?.followers;
    return text !== '' && followers != null && !followers.has(last);
  }

  #addUp(): readonly Float64Array[] {
    if (this.#sums !== null) return this.#sums;
    const most = this.#blocks.reduce((longest, { shares }) => Math.max(longest, shares.length), 1);
    const sums = Array.from({ length: most }, () => new Float64Array(this.#blocks.length + 1));
    const upTo = new Float64Array(most);
    for (const [at, { shares }] of this.#blocks.entries()) {
      let sum = 0;
      for (const [shared, of] of sums.entries()) {
        sum += shares[shared] ?? 0;
        upTo[shared] = (upTo[shared] as number) + sum;
        of[at + 1] = upTo[shared] as number;
      }
    }
    this.#sums = sums;
    return sums;
  }

  /** Blocks that have become large, into several. */
  #divide(): void {
    for (const { from } of this.#large) {
      const place = this.#blockOf(from);
      this.#blocks.splice(place, 1, ...this.#blocksBetween(from, this.#endOf(place)));
      this.#sums = null;
    }
    this.#large.clear();
  }

  #blocksBetween(start: string, end: string): Block[] {
    const blocks: Block[] = [];
    for (let from: string | null = start; from !== null; ) {
      const { shares, next } = this.#texts.stretch(from, end, { size: SIZE, mostShared: this.#longest });
      blocks.push({ from, shares: [...shares], added: 0 });
      from = next;
    }
    return blocks;
  }

  /** The place of the block that a text belongs to. */
  #blockOf(text: string): number {
    const later = ({ from }: Block) => inOrder(from, text) > 0;
    return lowerBound(this.#blocks.length, (index) => !later(this.#blocks[index] as Block)) - 1;
  }

  #endOf(place: number): string {
    return this.#blocks[place + 1]?.from ?? END;
  }
}

const END = afterAll('');
const SIZE = 512;
const LARGEST = 4 * SIZE;
const MOST_COUNTED = 50_000;
const ANY = Number.MAX_SAFE_INTEGER;
