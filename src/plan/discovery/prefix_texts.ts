import { sharedLength } from '../../names/ordered_words.ts';
import { Heap } from '../heap.ts';
import type { Counts, Extension, Extensions, KnownTexts, Spread } from './known_texts.ts';
import { END, type NameModel } from './name_model.ts';
import { PrefixCounts } from './prefix_counts.ts';

interface PrefixSettings {
  readonly counts: Counts;
  /** The name model. It can be shared, because this class does not train it. */
  readonly model: NameModel;
  /** The maximum query length, in UTF-16 units. */
  readonly longest: number;
  /** Whether many companies usually share a text, as they do with words. */
  readonly repeats: boolean;
  /** Returns whether the query can be sent. If not, its extensions are offered instead. */
  canBeSent(query: string): boolean;
  /** See `UpstreamFolding.readAs`. */
  readAs(query: string): string | null;
  /** Extensions of the empty query that are offered in addition to single characters. */
  readonly first: readonly Extension[];
}

/** The known texts that queries find by prefix. */
export class PrefixTexts implements KnownTexts {
  readonly #settings: PrefixSettings;
  readonly #counts: Counts;
  /** Additional counts for prefixes that match a company only when diacritics are ignored. */
  readonly #plainCounts = new PrefixCounts();

  constructor(settings: PrefixSettings) {
    this.#settings = settings;
    this.#counts = settings.counts;
  }

  /** Adds one company's texts, which count as `weight` companies. */
  add(texts: readonly string[], weight = 1): void {
    let previous: string | null = null;
    // The texts are sorted, so that each text shares its longest common prefix with the text before it. The company is
    // therefore counted only once for each prefix.
    for (const text of [...new Set(texts.map((one) => one.slice(0, this.#settings.longest)))].sort()) {
      this.#counts.add(text, previous === null ? -1 : sharedLength(previous, text), weight);
      previous = text;
    }
  }

  addWithoutDiacritics(texts: readonly string[], plain: readonly string[]): void {
    const shorten = (all: readonly string[]) =>
      new Set(all.map((one) => one.slice(0, this.#settings.longest)));
    const own = shorten(texts);
    const sorted = [...new Set([...own, ...shorten(plain)])].sort();
    let previous: string | null = null;
    for (const [at, text] of sorted.entries()) {
      if (!own.has(text)) {
        // In sorted order, a text shares its longest common prefixes with its neighbours. Of the texts after it, only
        // those in `own` have already been counted.
        const next = sorted.slice(at + 1).find((one) => own.has(one));
        const shared = [previous, next].map((one) => (one == null ? -1 : sharedLength(one, text)));
        this.#plainCounts.add(text, Math.max(...shared));
      }
      previous = text;
    }
  }

  known(query: string): number {
    return this.#counts.count(query) + this.#plainCounts.count(query);
  }

  ending(query: string): number {
    return query.length >= this.#settings.longest ? this.known(query) : this.#ends(query);
  }

  spread(query: string): Spread {
    const followers = this.#followers(query);
    let below = this.#ends(query);
    for (const count of followers.values()) below += count;
    return { distinct: followers.size, perCompany: Math.max(1, below / Math.max(1, this.known(query))) };
  }

  /**
   * Finds extensions by best-first search over longer prefixes. Extensions are ranked by `c / (1 + C) + g`: `C` known
   * companies match the query, `c` of them match the extension, and `g` is the probability that the name model gives
   * the extension.
   */
  extensions(query: string, isSent: (query: string) => boolean): Extensions {
    const { model, repeats, first, longest, canBeSent, readAs } = this.#settings;
    if (query.length >= longest)
      return { offered: [], otherLikelihood: 1, sentLikelihood: 0, isTruncated: false };
    const queue = new Heap<Extension>();
    const denominator = 1 + this.known(query);
    const enqueue: Enqueue = (one, known) => queue.push(one, known / denominator + one.likelihood);
    this.#extend({ text: query, likelihood: 1, hasNewCharacter: false }, enqueue);
    if (query === '') for (const one of first) enqueue(one, this.known(one.text));
    const offered: Extension[] = [];
    const visited = new Set<string>();
    let sentLikelihood = 0;
    let hasInventory = false;
    /** The number of consecutive texts that cannot be sent. */
    let barren = 0;
    while (offered.length < MAX_OFFERED && barren < MAX_BARREN) {
      const best = queue.pop()?.item;
      if (best === undefined) {
        if (hasInventory) break;
        hasInventory = true;
        for (const one of this.#inventoryExtensions(query)) enqueue(one, 0);
        continue;
      }
      if (visited.has(best.text)) continue;
      visited.add(best.text);
      const read = readAs(best.text);
      if (read !== best.text) {
        if (read?.startsWith(query) && read !== query) enqueue({ ...best, text: read }, this.known(read));
        continue;
      }
      // The alias check must come before this check, so that an aliased query is not treated as sent.
      if (!canBeSent(best.text)) {
        this.#extend(best, enqueue);
        barren++;
        continue;
      }
      barren = 0;
      if (isSent(best.text)) sentLikelihood += best.likelihood;
      else offered.push(best);
    }
    if (query === '') offered.push(...this.#openFirst((one) => !visited.has(one) && !isSent(one)));
    let otherLikelihood = repeats && query !== '' ? (model.following(query).get(END) ?? 0) : 0;
    for (const one of queue.items()) {
      if (isSent(one.text)) sentLikelihood += one.likelihood;
      else otherLikelihood += one.likelihood;
    }
    return { offered, otherLikelihood, sentLikelihood, isTruncated: queue.size > 0 };
  }

  /**
   * Returns extensions from `first`. Some are always offered, because predictions for their kind are calibrated
   * separately.
   */
  #openFirst(isOpen: (query: string) => boolean): Extension[] {
    const { first, canBeSent, readAs } = this.#settings;
    const isOffered = ({ text }: Extension) => isOpen(text) && canBeSent(text) && readAs(text) === text;
    return first.filter(isOffered).slice(0, FIRST_OFFERED);
  }

  #ends(query: string): number {
    return this.#counts.ends(query) + this.#plainCounts.ends(query);
  }

  #followers(query: string): Map<string, number> {
    const followers = this.#counts.followers(query);
    for (const [character, count] of this.#plainCounts.followers(query))
      followers.set(character, (followers.get(character) ?? 0) + count);
    for (const character of followers.keys())
      if (this.#settings.readAs(character) !== character) followers.delete(character);
    return followers;
  }

  /** Returns the extensions by characters of known scripts that occur in no known text. */
  #inventoryExtensions(query: string): Extension[] {
    return this.#settings.model
      .unseen(query)
      .map(({ character, likelihood }) => ({ text: query + character, likelihood, hasNewCharacter: true }));
  }

  /** Enqueues the extensions that are one character longer. */
  #extend({ text, likelihood }: Extension, enqueue: Enqueue): void {
    const { model, longest, canBeSent } = this.#settings;
    if (text.length >= longest) return;
    const following = model.following(text, text !== '' && canBeSent(text));
    const followers = this.#followers(text);
    for (const character of new Set([...followers.keys(), ...following.keys()])) {
      // A text that was shortened to the maximum length can end with half of a surrogate pair, which is invalid in a
      // URL.
      if (!character.isWellFormed()) continue;
      // No text begins with a space or contains two spaces in a row.
      if (character === END || (character === ' ' && (text === '' || text.endsWith(' ')))) continue;
      const share = following.get(character) ?? MIN_LIKELIHOOD;
      const hasNewCharacter = !model.knows(character);
      const one = { text: text + character, likelihood: likelihood * share, hasNewCharacter };
      enqueue(one, followers.has(character) ? this.known(one.text) : 0);
    }
  }
}

type Enqueue = (one: Extension, known: number) => void;

const MIN_LIKELIHOOD = 1e-6;
const MAX_OFFERED = 400;
// If the upstream requires long queries, almost no text that the model invents on the way to them occurs in a name.
const MAX_BARREN = 300;
const FIRST_OFFERED = 20;
