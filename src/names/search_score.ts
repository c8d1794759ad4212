import { wordsOf } from './folding.ts';
import { MIN_SCORE } from './name_candidates.ts';
import { type Anatomy, isOnlyForm, similarity } from './similarity.ts';
import { isOneEditAway, SHORTEST_MISSPELT } from './spelling.ts';

/**
 * Returns a name's score in a search: 1 for the same name, 0 for no match. Let q and n be the number of characters in
 * the query's words and in the name's words. The score is the highest of these values:
 *
 * - the similarity of the query and the name, if it is at least MIN_SCORE
 * - 0.5 + 0.45 · c · q/n if each word in the query is the start of a different word in the name, or at one edit from a
 *   different word: `acme` and `amce` find `Acme Holdings Ltd`. Here c is the mean of 1 − e/m over the words, where e is 1 for
 *   a word with an edit and 0 otherwise, and m is the number of characters in the word
 * - 0.4 + 0.45 · q/n if the name contains the query: `tech` finds `Biotechnik`
 *
 * A query that consists of legal forms only is compared with the whole name: `limited` finds `Acme Limited`.
 */
export function searchScore(query: Anatomy, name: Anatomy): number {
  const similar = similarity(query, name);
  const contained = isOnlyForm(query)
    ? containment(query.whole, name.whole)
    : containment(query.core, name.core);
  return Math.max(similar >= MIN_SCORE ? similar : 0, contained);
}

function containment(query: string, name: string): number {
  const wanted = wordsOf(query);
  const words = wordsOf(name);
  if (wanted.length === 0) return 0;
  const share = lengthOf(wanted) / lengthOf(words);
  const closeness = startsWords(wanted, words);
  if (closeness > 0) return 0.5 + 0.45 * closeness * share;
  return name.includes(query) ? 0.4 + 0.45 * share : 0;
}

/** Returns the mean closeness of the wanted words to the starts of different words, or 0 if one of them has none. */
function startsWords(wanted: readonly string[], words: readonly string[]): number {
  const left = [...words];
  let sum = 0;
  for (const word of wanted) {
    const exact = left.findIndex((one) => one.startsWith(word));
    const at = exact === -1 ? left.findIndex((one) => isMisspelt(word, one)) : exact;
    if (at === -1) return 0;
    left.splice(at, 1);
    sum += exact === -1 ? 1 - 1 / word.length : 1;
  }
  return sum / wanted.length;
}

function isMisspelt(word: string, other: string): boolean {
  return word.length >= SHORTEST_MISSPELT && isOneEditAway(word, other);
}

function lengthOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + [...word].length, 0);
}
