import { inventoryOf } from './character_inventories.ts';

/** Stands for the end of a text among the characters that may follow. */
export const END = '';

/** What stood before a place, and what followed. */
interface Context {
  seen: number;
  readonly followers: Map<string, number>;
  /** With one character more before it. */
  longer: Map<string, Context> | null;
}

/**
 * Which character comes next: an n-gram model that falls back to shorter contexts by how many different characters
 * followed there (prediction by partial matching; Witten and Bell, IEEE Trans. Inf. Theory 37(4), 1991).
 */
export class NameModel {
  readonly #anywhere = newContext();
  /** Beginnings of words that are longer than the contexts. */
  readonly #prefixes = new Map<string, Context>();
  /** How likely a character is before any text was seen; they add up to 1. */
  readonly #prior: ReadonlyMap<string, number>;
  /** What such texts are like in general: it speaks for what was not seen yet, and the less the more texts were. */
  readonly #general: NameModel | null;
  readonly #alphabet: Set<string>;
  /** Does a text asked for stand at the beginning? */
  readonly #isAnchored: boolean;
  #offered = 0;
  /** Of an alphabet of so many characters. */
  #inventoryFor: { readonly alphabet: number; readonly characters: readonly string[] } = {
    alphabet: 0,
    characters: [],
  };

  constructor(
    seeds: readonly { readonly text: string; readonly weight: number }[],
    isAnchored: boolean,
    general: NameModel | null = null,
  ) {
    this.#isAnchored = isAnchored;
    this.#general = general;
    const single = seeds.filter(({ text }) => [...text].length === 1);
    const sum = single.reduce((total, { weight }) => total + weight, 0);
    this.#prior = new Map(single.map(({ text, weight }) => [text, weight / sum]));
    this.#alphabet = new Set([...this.#prior.keys(), END]);
  }

  /** Was this character seen in a text? */
  knows(character: string): boolean {
    return this.#anywhere.followers.has(character);
  }

  /** Learns from every text at first, and from fewer as they become many. */
  learn(text: string): void {
    if (this.#offered++ % Math.ceil((this.#offered / ENOUGH) ** 2) !== 0) return;
    const characters = [START, ...text, END].slice(0, LONGEST);
    for (let at = 1; at < characters.length; at++) {
      const follower = characters[at] as string;
      this.#alphabet.add(follower);
      this.#count(characters, at, follower);
    }
  }

  /** How likely each character is to follow this text. They add up to about 1. */
  following(text: string): Map<string, number> {
    let likely = new Map<string, number>();
    for (const character of this.#alphabet)
      likely.set(character, this.#prior.get(character) ?? 1 / (10 * this.#alphabet.size));
    const general = this.#general === null ? [] : this.#general.#seenIn(text);
    const own = this.#seenIn(text);
    const trust = TRUST_IN_GENERAL / (1 + (this.#offered / SOME) ** 2);
    for (let order = 0; order < Math.max(general.length, own.length); order++) {
      const [usual, seen] = [general[order], own[order]];
      if (usual !== undefined) likely = refined(likely, usual, trust);
      if (seen !== undefined) likely = refined(likely, seen, 1);
    }
    return text === '' ? this.#first(likely) : likely;
  }

  /** Characters of a script in use that were never seen, where it has thousands, and how likely each follows this text. */
  unseen(text: string): { readonly characters: readonly string[]; readonly likelihood: number } {
    const characters = this.#inventory().filter((character) => !this.knows(character));
    let likelihood = 1 / (2 * Math.max(1, characters.length));
    for (const { seen, followers } of this.#seenIn(text))
      likelihood *= followers.size / (seen + followers.size);
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

  #count(characters: readonly string[], at: number, follower: string): void {
    const contexts = this.#seenBefore(characters, at, newContext);
    for (const context of contexts) {
      context.seen++;
      context.followers.set(follower, (context.followers.get(follower) ?? 0) + 1);
    }
  }

  /** What was seen before the place after this text. */
  #seenIn(text: string): Context[] {
    const before = this.#isAnchored ? [START, ...text] : [...text];
    return this.#seenBefore(before, before.length);
  }

  /**
   * What was seen before such a place, the shortest first: up to five characters, and the whole beginning of the word
   * where that is longer. Those that were never seen are left out, or made.
   */
  #seenBefore(characters: readonly string[], at: number, make?: () => Context): Context[] {
    let last = this.#anywhere;
    if (last.seen === 0 && make === undefined) return [];
    const found = [last];
    for (let order = 1; order <= Math.min(at, ORDER); order++) {
      if (last.longer === null && make === undefined) return found;
      last.longer ??= new Map();
      const longer = entryOf(last.longer, characters[at - order] as string, make);
      if (longer === undefined) return found;
      found.push(longer);
      last = longer;
    }
    const start = at > ORDER ? characters.lastIndexOf(START, at - ORDER - 1) : -1;
    if (start < 0 || at - start > LONGEST_WORD) return found;
    const prefix = entryOf(this.#prefixes, characters.slice(start + 1, at).join(''), make);
    if (prefix !== undefined) found.push(prefix);
    return found;
  }
}

function entryOf(
  contexts: Map<string, Context>,
  key: string,
  make: (() => Context) | undefined,
): Context | undefined {
  const existing = contexts.get(key);
  if (existing !== undefined || make === undefined) return existing;
  const made = make();
  contexts.set(key, made);
  return made;
}

function newContext(): Context {
  return { seen: 0, followers: new Map(), longer: null };
}

/** `weight`: what each text that was seen counts for. */
function refined(
  likely: ReadonlyMap<string, number>,
  { seen, followers }: Context,
  weight: number,
): Map<string, number> {
  const types = followers.size;
  const all = weight * seen + types;
  const refined = new Map<string, number>();
  for (const [character, before] of likely)
    refined.set(character, (weight * (followers.get(character) ?? 0) + types * before) / all);
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
const TRUST_IN_GENERAL = 1;
const SOME = 200;
