import { sharedLength } from '../../names/ordered_words.ts';
import { Heap } from '../heap.ts';
import type { Counts, Extension, Extensions, KnownTexts, Spread } from './key_space.ts';
import { END, type NameModel } from './name_model.ts';
import { PrefixCounts } from './prefix_counts.ts';

export interface PrefixSettings {
  readonly counts: Counts;
  /** What texts are like; it may be shared, and is taught by others. */
  readonly model: NameModel;
  readonly longest: number;
  /** Can many companies have the very same text? */
  readonly repeats: boolean;
  /** A longer text may be. */
  canBeAsked(text: string): boolean;
  /** The text that asks for the same, if there is one that is read as it stands; it may be the text itself. */
  readAs(text: string): string | null;
  /** Texts to begin with, beside single characters. */
  readonly first: readonly Extension[];
}

/** Texts that are found by how they begin. */
export class PrefixTexts implements KnownTexts {
  readonly #settings: PrefixSettings;
  readonly #counts: Counts;
  /** What companies are found by where marks are overlooked, and were not counted for already. */
  readonly #plain = new PrefixCounts();

  constructor(settings: PrefixSettings) {
    this.#settings = settings;
    this.#counts = settings.counts;
  }

  add(texts: readonly string[]): void {
    let before: string | null = null;
    // In alphabetical order neighbours share most: a company counts once below each text.
    for (const text of [...new Set(texts.map((one) => one.slice(0, this.#settings.longest)))].sort()) {
      this.#counts.add(text, before === null ? -1 : sharedLength(before, text));
      before = text;
    }
  }

  addWithoutDiacritics(texts: readonly string[], plain: readonly string[]): void {
    const cut = (all: readonly string[]) => new Set(all.map((one) => one.slice(0, this.#settings.longest)));
    const own = cut(texts);
    const sorted = [...new Set([...own, ...cut(plain)])].sort();
    let before: string | null = null;
    for (const [at, text] of sorted.entries()) {
      if (!own.has(text)) {
        // Neighbours share most; of those that follow, its own were counted before.
        const next = sorted.slice(at + 1).find((one) => own.has(one));
        const shared = [before, next].map((one) => (one == null ? -1 : sharedLength(one, text)));
        this.#plain.add(text, Math.max(...shared));
      }
      before = text;
    }
  }

  known(text: string): number {
    return this.#counts.count(text) + this.#plain.count(text);
  }

  ending(text: string): number {
    return text.length >= this.#settings.longest ? this.known(text) : this.#ends(text);
  }

  spread(text: string): Spread {
    const followers = this.#followers(text);
    let below = this.#ends(text);
    for (const count of followers.values()) below += count;
    return { ways: followers.size, each: Math.max(1, below / Math.max(1, this.known(text))) };
  }

  extensions(text: string, isAsked: (text: string) => boolean): Extensions {
    const { model, repeats, first, longest, canBeAsked, readAs } = this.#settings;
    if (text.length >= longest) return { offered: [], otherwise: 1, asked: 0, isTruncated: false };
    const extensions = new Heap<Extension>();
    const all = 1 + this.known(text);
    const add = (one: Extension, known: number) => extensions.push(one, known / all + one.likelihood);
    this.#goOn({ text, likelihood: 1, isStrange: false }, add);
    if (text === '') for (const one of first) add(one, this.known(one.text));
    const offered: Extension[] = [];
    const seen = new Set<string>();
    let asked = 0;
    let isWide = false;
    while (offered.length < MOST_OFFERED) {
      const best = extensions.pop()?.item;
      if (best === undefined) {
        if (isWide) break;
        isWide = true;
        for (const one of this.#unseen(text)) add(one, 0);
        continue;
      }
      if (seen.has(best.text)) continue;
      seen.add(best.text);
      const read = readAs(best.text);
      if (read !== best.text) {
        if (read?.startsWith(text) && read !== text) add({ ...best, text: read }, this.known(read));
        continue;
      }
      // It may have been asked before it was known that it is read as another one: that answers for none below it.
      if (!canBeAsked(best.text)) this.#goOn(best, add);
      else if (isAsked(best.text)) asked += best.likelihood;
      else offered.push(best);
    }
    if (text === '') offered.push(...this.#firstOf((one) => !seen.has(one) && !isAsked(one)));
    let otherwise = repeats && text !== '' ? (model.following(text).get(END) ?? 0) : 0;
    for (const one of extensions.items()) {
      if (isAsked(one.text)) asked += one.likelihood;
      else otherwise += one.likelihood;
    }
    return { offered, otherwise, asked, isTruncated: extensions.size > 0 };
  }

  /** How well they do is learned apart, so that some are always offered. */
  #firstOf(isOpen: (text: string) => boolean): Extension[] {
    const { first, canBeAsked, readAs } = this.#settings;
    const isOffered = ({ text }: Extension) => isOpen(text) && canBeAsked(text) && readAs(text) === text;
    return first.filter(isOffered).slice(0, FIRST_OFFERED);
  }

  #ends(text: string): number {
    return this.#counts.ends(text) + this.#plain.ends(text);
  }

  #followers(text: string): Map<string, number> {
    const followers = this.#counts.followers(text);
    for (const [character, count] of this.#plain.followers(text))
      followers.set(character, (followers.get(character) ?? 0) + count);
    for (const character of followers.keys())
      if (this.#settings.readAs(character) !== character) followers.delete(character);
    return followers;
  }

  /** Those that end in a character which no text has. */
  #unseen(text: string): Extension[] {
    const { characters, likelihood } = this.#settings.model.unseen(text);
    return characters.map((character) => ({ text: text + character, likelihood, isStrange: true }));
  }

  /** The texts of one character more. */
  #goOn({ text, likelihood }: Extension, add: (one: Extension, known: number) => void): void {
    const { model, longest } = this.#settings;
    if (text.length >= longest) return;
    const following = model.following(text);
    const followers = this.#followers(text);
    for (const character of new Set([...followers.keys(), ...following.keys()])) {
      // Half of a surrogate pair, where the longest text was cut off, can be sent by no URL.
      if (!character.isWellFormed()) continue;
      // Nothing begins with a space, or has two in a row.
      if (character === END || (character === ' ' && (text === '' || text.endsWith(' ')))) continue;
      const likely = likelihood * (following.get(character) ?? LEAST_LIKELY);
      // Most follow nowhere: of those nothing is to be counted.
      const known = followers.has(character) ? this.known(text + character) : 0;
      add({ text: text + character, likelihood: likely, isStrange: !model.knows(character) }, known);
    }
  }
}

const LEAST_LIKELY = 1e-6;
const MOST_OFFERED = 400;
const FIRST_OFFERED = 20;
