import { ALPHABETS, CHARACTER_SEEDS, COMMON_WORDS, inventoryOf, type Script, scriptOf } from './seeds.ts';

/** Represents the end of a text among the possible next characters. */
export const END = '';

/** The counts of characters observed after one context. A context consists of the characters before a position. */
interface Context {
  /** `n`: how often the context was observed. */
  count: number;
  /** `count(x)`: how often each next character was observed. `types` is the size of this map. */
  readonly followers: Map<string, number>;
  /** The contexts with one more preceding character; null if there are none. */
  longer: Map<string, Context> | null;
}

/**
 * Predicts the next character of a name. It is an n-gram model with Witten-Bell backoff, as in prediction by partial
 * matching.
 *
 * After a context of `k` characters, the probability of character `x` is
 *
 *     p_k(x) = (w · count(x) + types · p_{k−1}(x)) / (w · n + types)
 *
 * - `count(x)`: the frequency of `x` after the context;
 * - `n`: the total frequency of all characters after it;
 * - `types`: the number of distinct characters after it;
 * - `p_{k−1}`: the probability after the context that is one character shorter;
 * - `p_{−1}`: the prior, which is the weight of the seed `x` or, if `x` is not a seed, `1 / (10 · |alphabet|)`.
 *
 * Contexts have 0 to 5 characters.
 *
 * The weight `w` is 1 for observed texts. A general model can supply additional counts. At each context length, these
 * are applied before the observed counts, with `w = 1 / (1 + (t / 200)²)`. The general model's influence therefore
 * vanishes as the number `t` of observed texts increases.
 *
 * Cleary and Witten, "Data compression using adaptive coding and partial string matching" (IEEE Trans. Commun. 32(4), 1984).
 * Witten and Bell, "The zero-frequency problem" (IEEE Trans. Inf. Theory 37(4), 1991), method C.
 */
export class NameModel {
  /** The context with 0 characters. */
  readonly #root = newContext();
  /** The prior probability of each seed character. The probabilities add up to 1. */
  readonly #prior: ReadonlyMap<string, number>;
  readonly #general: NameModel | null;
  readonly #alphabet: Set<string>;
  /** The scripts of the characters in observed texts. */
  readonly #scripts = new Set<Script>();
  /** Whether a query must be a prefix of the text. Otherwise it can be any substring. */
  readonly #isAnchored: boolean;
  /** `t`: the number of texts passed to `learn`. */
  #offered = 0;
  /** The inventory, as computed when the alphabet had `alphabet` characters. */
  #inventoryCache: { readonly alphabet: number; readonly characters: readonly string[] } = {
    alphabet: 0,
    characters: [],
  };

  /** `general` is the general model; null if there is none. */
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

  /** Returns whether the character occurs in an observed text. */
  knows(character: string): boolean {
    return this.#root.followers.has(character);
  }

  /** Returns whether the text begins with a letter of a script that no observed text uses. */
  isForeign(text: string): boolean {
    const script = scriptOf(text);
    return script !== null && !this.#scripts.has(script);
  }

  /** Learns from each of the first 10,000 texts, and after that from every `ceil((t / 10,000)²)`-th text. */
  learn(text: string): void {
    if (this.#offered++ % Math.ceil((this.#offered / FULL_SAMPLE) ** 2) !== 0) return;
    const characters = [START, ...text, END].slice(0, MAX_CHARACTERS);
    for (let at = 1; at < characters.length; at++) {
      const follower = characters[at] as string;
      if (!this.#alphabet.has(follower) || !this.knows(follower)) this.#addCharacter(follower);
      this.#count(characters, at, follower);
    }
  }

  #addCharacter(character: string): void {
    this.#alphabet.add(character);
    const script = scriptOf(character);
    if (script !== null) this.#scripts.add(script);
  }

  /**
   * Returns how likely each character is to follow the text. The probabilities add up to about 1. `canBeSent` is whether
   * the upstream accepts the text as a query. If not, searches could find only names with the longer texts sent so far.
   * A part of the probability then comes from the general model, if one of its words begins with the text: `0.9 · p(x) +
   * 0.1 · general(x)`. For the first character, it comes from the prior (see `#firstCharacters`).
   */
  following(text: string, canBeSent = text !== ''): Map<string, number> {
    const likelihoods = this.#likelihoodsAfter(text);
    if (canBeSent) return likelihoods;
    if (text === '') return this.#firstCharacters(likelihoods);
    const general = this.#general;
    return general?.startsWords(text)
      ? mixed(likelihoods, general.following(text), GENERAL_SHARE)
      : likelihoods;
  }

  /** Returns whether an observed text begins with the prefix, which has at most four characters. */
  startsWords(prefix: string): boolean {
    return this.#contextsAfter(prefix).length === [...prefix].length + 2;
  }

  #likelihoodsAfter(text: string): Map<string, number> {
    let likelihoods = new Map<string, number>();
    for (const character of this.#alphabet)
      likelihoods.set(character, this.#prior.get(character) ?? 1 / (10 * this.#alphabet.size));
    const general = this.#general === null ? [] : this.#general.#contextsAfter(text);
    const own = this.#contextsAfter(text);
    const generalWeight = GENERAL_WEIGHT / (1 + (this.#offered / GENERAL_TEXTS) ** 2);
    for (let order = 0; order < Math.max(general.length, own.length); order++) {
      const [generalContext, ownContext] = [general[order], own[order]];
      if (generalContext !== undefined) likelihoods = refine(likelihoods, generalContext, generalWeight);
      if (ownContext !== undefined) likelihoods = refine(likelihoods, ownContext, 1);
    }
    return likelihoods;
  }

  /**
   * Returns characters that occur in no observed text: the letters of known alphabets, and the inventory. After the
   * text, each of the `m` characters in one of these `k` groups has the probability `Π types / (n + types) / (2km)`. The
   * product is over the contexts. Together, these characters get half of the backoff probability.
   *
   * For the first letter of a name, the product omits the context with 0 characters, because most letters of an alphabet
   * are common.
   */
  unseen(text: string): { readonly character: string; readonly likelihood: number }[] {
    const isUnknown = (character: string) => !this.knows(character);
    const backoffs = this.#contextsAfter(text).map(({ count, followers: { size } }) => size / (count + size));
    const isFirst = text === '' && backoffs.length > 1;
    const groups = [
      {
        characters: this.alphabets.flat().filter(isUnknown),
        backoffs: isFirst ? backoffs.slice(1) : backoffs,
      },
      { characters: this.#inventory().filter(isUnknown), backoffs },
    ].filter(({ characters }) => characters.length > 0);
    return groups.flatMap(({ characters, backoffs: factors }) => {
      const backoff = factors.reduce((product, factor) => product * factor, 1);
      const likelihood = backoff / (2 * groups.length * characters.length);
      return characters.map((character) => ({ character, likelihood }));
    });
  }

  /**
   * Returns the probability that a name begins with each character: `0.8 · s · p(x) + 0.2 · prior(x)`, with `s = 0.1`
   * for punctuation and 1 for other characters.
   */
  #firstCharacters(likelihoods: ReadonlyMap<string, number>): Map<string, number> {
    const first = new Map<string, number>();
    for (const [character, likelihood] of likelihoods)
      first.set(character, /[\p{L}\p{N}]/u.test(character) ? likelihood : PUNCTUATION_FACTOR * likelihood);
    return mixed(first, this.#prior, PRIOR_SHARE);
  }

  /** The alphabets of the scripts with few letters that occur in observed texts. */
  get alphabets(): readonly (readonly string[])[] {
    return ALPHABETS.filter((letters) => letters.some((letter) => this.knows(letter)));
  }

  /** Whether most characters in observed texts belong to a script with thousands of characters. */
  get hasInventory(): boolean {
    if (this.#inventory().length === 0) return false;
    const { count, followers } = this.#root;
    let surplus = (followers.get(END) ?? 0) - count;
    for (const [character, observed] of followers)
      if (hasThousands(scriptOf(character))) surplus += 2 * observed;
    return surplus > 0;
  }

  #inventory(): readonly string[] {
    if (this.#inventoryCache.alphabet !== this.#alphabet.size) {
      const characters = inventoryOf((character) => this.knows(character));
      this.#inventoryCache = { alphabet: this.#alphabet.size, characters };
    }
    return this.#inventoryCache.characters;
  }

  #count(characters: readonly string[], at: number, follower: string): void {
    const contexts = this.#contextsBefore(characters, at, newContext);
    for (const context of contexts) {
      context.count++;
      context.followers.set(follower, (context.followers.get(follower) ?? 0) + 1);
    }
  }

  #contextsAfter(text: string): Context[] {
    const characters = this.#isAnchored ? [START, ...text] : [...text];
    return this.#contextsBefore(characters, characters.length);
  }

  /**
   * Returns the contexts before a position, shortest first: 0 to 5 characters.
   * Contexts that were never observed are created with `create` or, without it, omitted.
   */
  #contextsBefore(characters: readonly string[], at: number, create?: () => Context): Context[] {
    let last = this.#root;
    if (last.count === 0 && create === undefined) return [];
    const contexts = [last];
    for (let order = 1; order <= Math.min(at, MAX_ORDER); order++) {
      if (last.longer === null && create === undefined) return contexts;
      last.longer ??= new Map();
      const longer = contextAt(last.longer, characters[at - order] as string, create);
      if (longer === undefined) return contexts;
      contexts.push(longer);
      last = longer;
    }
    return contexts;
  }
}

/** Returns the name model trained with common words. The model is built once. */
export function generalModel(): NameModel {
  if (general !== null) return general;
  general = new NameModel(CHARACTER_SEEDS, true);
  for (const word of COMMON_WORDS) general.learn(word);
  return general;
}

let general: NameModel | null = null;

function contextAt(
  contexts: Map<string, Context>,
  key: string,
  create: (() => Context) | undefined,
): Context | undefined {
  const existing = contexts.get(key);
  if (existing !== undefined || create === undefined) return existing;
  const created = create();
  contexts.set(key, created);
  return created;
}

/** Returns probabilities of which the given share comes from the prior. */
function mixed(
  observed: ReadonlyMap<string, number>,
  prior: ReadonlyMap<string, number>,
  share: number,
): Map<string, number> {
  const both = new Map<string, number>();
  for (const [character, likelihood] of observed)
    both.set(character, (1 - share) * likelihood + share * (prior.get(character) ?? 0));
  return both;
}

function hasThousands(script: Script | null): boolean {
  return script === 'cjk' || script === 'hangul';
}

function newContext(): Context {
  return { count: 0, followers: new Map(), longer: null };
}

/** Computes one step of the backoff: `p_k` from `shorter`, which is `p_{k−1}`. `weight` is `w`. */
function refine(
  shorter: ReadonlyMap<string, number>,
  { count, followers }: Context,
  weight: number,
): Map<string, number> {
  const types = followers.size;
  const sum = weight * count + types;
  const refined = new Map<string, number>();
  for (const [character, likelihood] of shorter)
    refined.set(character, (weight * (followers.get(character) ?? 0) + types * likelihood) / sum);
  return refined;
}

// Each name is read with a leading space, so that its first word is predicted like later words.
const START = ' ';
const MAX_ORDER = 5;
const MAX_CHARACTERS = 40;
const FULL_SAMPLE = 10_000;
const PUNCTUATION_FACTOR = 0.1;
const PRIOR_SHARE = 0.2;
const GENERAL_SHARE = 0.1;
const GENERAL_WEIGHT = 1;
const GENERAL_TEXTS = 200;
