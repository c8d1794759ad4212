import { sharedLength } from '../../folding.ts';
import { Heap } from '../heap.ts';
import type { Counts, Extension, Extensions, Spread, Texts } from './field.ts';
import { END, type NameModel } from './name_model.ts';

export interface BeginningsSettings {
  readonly counts: Counts;
  /** What texts are like; it may be shared, and is taught by others. */
  readonly model: NameModel;
  readonly longest: number;
  /** Can many companies have the very same text? */
  readonly repeats: boolean;
  canBeAsked(text: string): boolean;
  /** Texts to begin with, beside single characters. */
  readonly first: readonly Extension[];
}

/** Texts that are found by how they begin. */
export class Beginnings implements Texts {
  readonly #settings: BeginningsSettings;
  readonly #counts: Counts;

  constructor(settings: BeginningsSettings) {
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

  known(text: string): number {
    return this.#counts.count(text);
  }

  ending(text: string): number {
    return text.length >= this.#settings.longest ? this.known(text) : this.#counts.ends(text);
  }

  spread(text: string): Spread {
    const followers = this.#counts.followers(text);
    let below = this.#counts.ends(text);
    for (const count of followers.values()) below += count;
    return { ways: followers.size, each: Math.max(1, below / Math.max(1, this.known(text))) };
  }

  extensions(text: string, isAsked: (text: string) => boolean): Extensions {
    const { model, repeats, first, longest, canBeAsked } = this.#settings;
    if (text.length >= longest) return { offered: [], otherwise: 1, isCut: false };
    const ways = new Heap<Extension>();
    const all = 1 + this.known(text);
    const add = (one: Extension, known: number) => ways.push(one, known / all + one.likelihood);
    this.#goOn({ text, likelihood: 1, isStrange: false }, add);
    if (text === '') for (const one of first) add(one, this.known(one.text));
    const offered: Extension[] = [];
    const seen = new Set<string>();
    let isWide = false;
    while (offered.length < MOST_OFFERED) {
      const best = ways.pop()?.item;
      if (best === undefined) {
        if (isWide) break;
        isWide = true;
        for (const one of this.#unseen(text)) add(one, 0);
        continue;
      }
      if (seen.has(best.text)) continue;
      seen.add(best.text);
      // It may have been asked before it was known that it is read as another one: that answers for none below it.
      if (!canBeAsked(best.text)) this.#goOn(best, add);
      else if (!isAsked(best.text)) offered.push(best);
    }
    let otherwise = repeats && text !== '' ? (model.following(text).get(END) ?? 0) : 0;
    for (const one of ways.items()) if (!isAsked(one.text)) otherwise += one.likelihood;
    return { offered, otherwise, isCut: ways.size > 0 };
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
    const followers = this.#counts.followers(text);
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
