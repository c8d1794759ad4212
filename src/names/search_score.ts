import { wordsOf } from './folding.ts';
import { MIN_SCORE } from './name_candidates.ts';
import { type Anatomy, similarity } from './similarity.ts';

/**
 * The score of a name in a search; 1: the same name, 0: no match. It is the highest of three values, with q and n the
 * characters in the words of query and name:
 *
 * - the similarity of both names, from MIN_SCORE on
 * - 0.5 + 0.45 · q/n if each word of the query starts another word of the name: `acme` finds `Acme Holdings Ltd`
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

/** Does each wanted word start another word? */
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
