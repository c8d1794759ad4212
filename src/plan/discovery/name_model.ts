import { inventoryOf } from './inventories.ts';

/** Stands for the end of a text among the characters that may follow. */
export const END = '';

interface Context {
  seen: number;
  readonly followers: Map<string, number>;
}

/**
 * Which character comes next: an n-gram model that falls back to shorter contexts by how many different characters
 * followed there (prediction by partial matching; Witten and Bell, IEEE Trans. Inf. Theory 37(4), 1991).
 */
export class NameModel {
  readonly #contexts = new Map<string, Context>();
  /** How likely a character is before any text was seen; they add up to 1. */
  readonly #prior: ReadonlyMap<string, number>;
  readonly #alphabet: Set<string>;
  /** Does a text asked for stand at the beginning? */
  readonly #isAnchored: boolean;
  #offered = 0;
  /** Of an alphabet of so many characters. */
  #inventoryFor: { readonly alphabet: number; readonly characters: readonly string[] } = {
    alphabet: 0,
    characters: [],
  };

  constructor(seeds: readonly { readonly text: string; readonly weight: number }[], isAnchored: boolean) {
    this.#isAnchored = isAnchored;
    const single = seeds.filter(({ text }) => [...text].length === 1);
    const sum = single.reduce((total, { weight }) => total + weight, 0);
    this.#prior = new Map(single.map(({ text, weight }) => [text, weight / sum]));
    this.#alphabet = new Set([...this.#prior.keys(), END]);
  }

  /** Was this character seen in a text? */
  knows(character: string): boolean {
    return this.#contexts.get('')?.followers.has(character) ?? false;
  }

  /** Learns from every text at first, and from fewer as they become many. */
  learn(text: string): void {
    if (this.#offered++ % Math.ceil((this.#offered / ENOUGH) ** 2) !== 0) return;
    const characters = [START, ...text, END].slice(0, LONGEST);
    for (let at = 1; at < characters.length; at++) {
      const follower = characters[at] as string;
      this.#alphabet.add(follower);
      for (const context of contextsOf(characters, at)) this.#count(context, follower);
    }
  }

  /** How likely each character is to follow this text. They add up to about 1. */
  following(text: string): Map<string, number> {
    const before = this.#isAnchored ? [START, ...text] : [...text];
    let likely = new Map<string, number>();
    for (const character of this.#alphabet)
      likely.set(character, this.#prior.get(character) ?? 1 / (10 * this.#alphabet.size));
    for (const context of contextsOf(before, before.length)) {
      const seen = this.#contexts.get(context);
      if (seen === undefined) break;
      likely = refined(likely, seen);
    }
    return text === '' ? this.#first(likely) : likely;
  }

  /** Characters of a script in use that were never seen, where it has thousands, and how likely each follows this text. */
  unseen(text: string): { readonly characters: readonly string[]; readonly likelihood: number } {
    const characters = this.#inventory().filter((character) => !this.knows(character));
    const before = this.#isAnchored ? [START, ...text] : [...text];
    let likelihood = 1 / (2 * Math.max(1, characters.length));
    for (const context of contextsOf(before, before.length)) {
      const seen = this.#contexts.get(context);
      if (seen === undefined) break;
      likelihood *= seen.followers.size / (seen.seen + seen.followers.size);
    }
    return { characters, likelihood };
  }

  /** How it begins is seen only of those that were found by it: what is known of beginnings before counts as well. */
  #first(likely: ReadonlyMap<string, number>): Map<string, number> {
    const first = new Map<string, number>();
    for (const [character, later] of likely) {
      const asLater = /[\p{L}\p{N}]/u.test(character) ? later : SELDOM_FIRST * later;
      first.set(
        character,
        (1 - TRUST_IN_PRIOR) * asLater + TRUST_IN_PRIOR * (this.#prior.get(character) ?? 0),
      );
    }
    return first;
  }

  #inventory(): readonly string[] {
    if (this.#inventoryFor.alphabet !== this.#alphabet.size) {
      const characters = inventoryOf((character) => this.knows(character));
      this.#inventoryFor = { alphabet: this.#alphabet.size, characters };
    }
    return this.#inventoryFor.characters;
  }

  #count(context: string, follower: string): void {
    let stored = this.#contexts.get(context);
    if (stored === undefined) {
      stored = { seen: 0, followers: new Map() };
      this.#contexts.set(context, stored);
    }
    stored.seen++;
    stored.followers.set(follower, (stored.followers.get(follower) ?? 0) + 1);
  }
}

/** What stands before a place, the shortest first: up to five characters, and the whole word where it is longer. */
function contextsOf(characters: readonly string[], at: number): string[] {
  const contexts = [''];
  let context = '';
  for (let order = 1; order <= Math.min(at, LONGEST_WORD); order++) {
    const character = characters[at - order] as string;
    context = character + context;
    const isWholeWord = order > ORDER && character === START;
    if (order <= ORDER || isWholeWord) contexts.push(context);
    if (isWholeWord) break;
  }
  return contexts;
}

function refined(likely: ReadonlyMap<string, number>, { seen, followers }: Context): Map<string, number> {
  const types = followers.size;
  const refined = new Map<string, number>();
  for (const [character, before] of likely)
    refined.set(character, ((followers.get(character) ?? 0) + types * before) / (seen + types));
  return refined;
}

// A name begins as its later words do.
const START = ' ';
const ORDER = 5;
const LONGEST = 40;
const LONGEST_WORD = 14;
const ENOUGH = 10_000;
const SELDOM_FIRST = 0.1;
const TRUST_IN_PRIOR = 0.2;
