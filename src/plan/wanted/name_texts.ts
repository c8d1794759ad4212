import { folded, wordsOf } from '../../names/folding.ts';
import type { Semantics } from '../../names/query_matching.ts';

/** The queries that find a wanted name. */
export interface NameTexts {
  /** The whole name, which finds almost no other company. */
  readonly whole: string;
  /** The shorter queries that certainly find the name, for each word, shortest first. */
  readonly shared: readonly (readonly string[])[];
}

const MAX_PREFIX_LENGTH = 24;

/**
 * Derives the queries that find a name. If the query rule is unknown (`semantics` null), only the name itself certainly
 * finds it. A word is used only if every tokeniser recognises it, so it must consist of letters and digits between
 * spaces.
 */
export function nameTextsOf(semantics: Semantics | null, name: string, minLength: number): NameTexts {
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
  const characters = [...text].slice(0, MAX_PREFIX_LENGTH);
  // No query ends with a space, because only some upstreams trim it.
  return characters
    .map((_, at) => characters.slice(0, at + 1).join(''))
    .filter((prefix) => !prefix.endsWith(' '));
}
