import {
  afterAll,
  firstPlace,
  inOrder,
  nextAfter,
  spreadOver,
  type TextsInOrder,
} from '../texts_in_order.ts';
import type { Counts } from './field.ts';

/** The texts from this one up to where the next block begins. */
interface Block {
  readonly from: string;
  count: number;
}

/** What was counted for one text. */
interface Counted {
  readonly count: number;
  ends: number | null;
  followers: readonly string[] | null;
}

/**
 * Counts by an index. A long range is the sum of whole blocks, counted once, and of the parts of blocks at both ends,
 * which the index counts: no range is walked twice, and no text is held but the first of each block.
 */
export class OrderedCounts implements Counts {
  readonly #texts: TextsInOrder;
  #blocks: Block[];
  /** Blocks to which something was added since they were counted. */
  readonly #outdated = new Set<Block>();
  /** Texts before each block, and in all; null: to be added up again. */
  #sums: number[] | null = null;
  readonly #counted = new Map<string, Counted>();

  constructor(texts: TextsInOrder) {
    this.#texts = texts;
    this.#blocks = this.#blocksBetween('', END);
  }

  /** About so many of the texts, spread evenly over all; fewer where there are fewer. */
  *sample(wanted: number): Generator<string> {
    const every = Math.floor(this.#blocks.length / wanted);
    if (every === 0) yield* spreadOver(this.#texts, Math.ceil(this.count('') / wanted));
    else for (let at = 1; at < this.#blocks.length; at += every) yield (this.#blocks[at] as Block).from;
  }

  /** The index holds it already: what it changes is counted anew. */
  add(text: string): void {
    this.#outdated.add(this.#blocks[this.#blockOf(text)] as Block);
    let beginning = '';
    this.#counted.delete(beginning);
    for (const character of text) {
      beginning += character;
      this.#counted.delete(beginning);
    }
  }

  count(text: string): number {
    return this.#of(text).count;
  }

  ends(text: string): number {
    const counted = this.#of(text);
    counted.ends ??= counted.count === 0 ? 0 : this.#texts.countBetween(text, nextAfter(text));
    return counted.ends;
  }

  followers(text: string): Map<string, number> {
    const counted = this.#of(text);
    counted.followers ??= counted.count === 0 ? [] : this.#followersOf(text);
    return new Map(counted.followers.map((character) => [character, this.count(text + character)]));
  }

  #of(text: string): Counted {
    const before = this.#counted.get(text);
    if (before !== undefined) return before;
    if (this.#counted.size >= MOST_COUNTED) this.#counted.clear();
    const counted: Counted = { count: this.#countOf(text), ends: null, followers: null };
    this.#counted.set(text, counted);
    return counted;
  }

  #followersOf(text: string): string[] {
    const followers: string[] = [];
    for (let next = this.#texts.at(nextAfter(text), 0); next?.startsWith(text); ) {
      const character = String.fromCodePoint(next.codePointAt(text.length) as number);
      followers.push(character);
      next = this.#texts.at(afterAll(text + character), 0);
    }
    return followers;
  }

  #countOf(text: string): number {
    this.#update();
    const end = afterAll(text);
    const first = this.#blockOf(text);
    const last = this.#blockOf(end);
    if (first === last) return this.#texts.countBetween(text, end);
    const sums = this.#addUp();
    const whole = (sums[last] as number) - (sums[first + 1] as number);
    const begun = this.#texts.countBetween(text, this.#endOf(first));
    return begun + whole + this.#texts.countBetween((this.#blocks[last] as Block).from, end);
  }

  #addUp(): readonly number[] {
    if (this.#sums !== null) return this.#sums;
    const sums = [0];
    let sum = 0;
    for (const { count } of this.#blocks) {
      sum += count;
      sums.push(sum);
    }
    this.#sums = sums;
    return sums;
  }

  /** Counts blocks to which something was added, and divides those that have become large. */
  #update(): void {
    if (this.#outdated.size === 0) return;
    for (const block of this.#outdated) {
      const place = this.#blockOf(block.from);
      block.count = this.#texts.countBetween(block.from, this.#endOf(place));
      if (block.count > LARGEST)
        this.#blocks.splice(place, 1, ...this.#blocksBetween(block.from, this.#endOf(place)));
    }
    this.#outdated.clear();
    this.#sums = null;
  }

  #blocksBetween(start: string, end: string): Block[] {
    const [, ...later] = spreadOver(this.#texts, SIZE, start, end);
    return [start, ...later].map((from, at) => ({
      from,
      count: this.#texts.countBetween(from, later[at] ?? end),
    }));
  }

  /** The place of the block that a text belongs to. */
  #blockOf(text: string): number {
    const later = ({ from }: Block) => inOrder(from, text) > 0;
    return firstPlace(this.#blocks.length, (place) => later(this.#blocks[place] as Block)) - 1;
  }

  #endOf(place: number): string {
    return this.#blocks[place + 1]?.from ?? END;
  }
}

const END = afterAll('');
const SIZE = 512;
const LARGEST = 4 * SIZE;
const MOST_COUNTED = 50_000;
