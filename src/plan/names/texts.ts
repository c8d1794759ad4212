import { folded, wordsOf } from '../../folding.ts';
import type { Semantics } from '../matching.ts';

/** Queries that find a wanted name: its own text, and shorter ones that it shares with others. */
export interface NameTexts {
  /** The name itself: finds it, and nearly nothing else. */
  readonly whole: string;
  /** Texts that this upstream surely matches with the name, none of them the whole: word by word, the shortest first. */
  readonly shared: readonly (readonly string[])[];
}

const LONGEST = 24;

/**
 * `semantics` null: not known, so that only the name itself is sure to find it. Words count only where every
 * tokenizer draws the same line: between spaces, and made of letters and digits.
 */
export function textsOf(semantics: Semantics | null, name: string, minLength: number): NameTexts {
  const whole = folded(name).replace(/[.,]+$/u, '');
  const seen = new Set([whole]);
  const isUsable = (text: string) => {
    if (seen.has(text) || [...text].length < minLength) return false;
    seen.add(text);
    return true;
  };
  const words = semantics === null ? [] : sharedTexts(semantics, whole);
  return { whole, shared: words.map((texts) => texts.filter(isUsable)).filter((texts) => texts.length > 0) };
}

function sharedTexts(semantics: Semantics, whole: string): string[][] {
  const words = whole.split(' ').filter((word) => wordsOf(word)[0] === word);
  switch (semantics) {
    case 'prefix':
      return [prefixesOf(whole)];
    case 'token':
      return words.map((word) => [word]);
    case 'token_prefix':
    case 'substring':
      return words.map(prefixesOf);
  }
}

function prefixesOf(text: string): string[] {
  const characters = [...text].slice(0, LONGEST);
  // A space at the end is cut off by some upstreams and not by others.
  return characters
    .map((_, at) => characters.slice(0, at + 1).join(''))
    .filter((prefix) => !prefix.endsWith(' '));
}
