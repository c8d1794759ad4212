import { wordsOf } from './folding.ts';
import { MIN_SCORE } from './name_candidates.ts';
import { type Anatomy, similarity } from './similarity.ts';

/**
 * Returns a name's score in a search: 1 for the same name, 0 for no match. Let q and n be the number of characters in
 * the query's words and in the name's words. The score is the highest of these values:
 *
 * - the similarity of the query and the name, if it is at least MIN_SCORE
 * - 0.5 + 0.45 · q/n if each word in the query is the start of a different word in the name: `acme` finds `Acme
 *   Holdings Ltd`
 * - 0.4 + 0.45 · q/n if the name contains the query: `tech` finds `Biotechnik`
 */
export function searchScore(query: Anatomy, name: Anatomy): number {
  const similar = similarity(query, name);
  return Math.max(similar >= MIN_SCORE ? similar : 0, containment(query.core, name.core));
}

function containment(query: string, name: string): number {
  const wanted = wordsOf(query);
  const words = wordsOf(name);
  if (wanted.length === 0) return 0;
  const share = lengthOf(wanted) / lengthOf(words);
  if (startsWords(wanted, words)) return 0.5 + 0.45 * share;
  return name.includes(query) ? 0.4 + 0.45 * share : 0;
}

/** Returns whether each wanted word is the start of a different word in `words`. */
function startsWords(wanted: readonly string[], words: readonly string[]): boolean {
  const left = [...words];
  return wanted.every((word) => {
    const at = left.findIndex((one) => one.startsWith(word));
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
}

function lengthOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + [...word].length, 0);
}
