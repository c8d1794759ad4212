import { wordsOf } from './folding.ts';
import { MIN_SCORE } from './name_candidates.ts';
import { type Anatomy, editDistance, isOnlyForm, similarity } from './similarity.ts';
import { SHORTEST_MISSPELT } from './spelling.ts';

/**
 * Returns a name's score in a search: 1 for the same name, 0 for no match. Let q and n be the number of characters in
 * the query's words and in the name's words. The score is the highest of these values:
 *
 * - the similarity of the query and the name, if it is at least MIN_SCORE
 * - 0.5 + 0.45 · c · q/n if each word in the query begins or misspells a different word in the name. For example, `acme`
 *   and `amce` find `Acme Holdings Ltd`. c is the mean of 1 − e/m over the words. A word has m characters and e edits. One edit is
 *   allowed, or two in a word of at least eight characters
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
    const edits = left.map((one) => editsBetween(word, one));
    const fewest = Math.min(...edits);
    if (fewest === Number.POSITIVE_INFINITY) return 0;
    left.splice(edits.indexOf(fewest), 1);
    sum += 1 - fewest / word.length;
  }
  return sum / wanted.length;
}

/** Returns the number of edits that a word in a query needs, or infinity if it is another word. */
function editsBetween(wanted: string, word: string): number {
  if (word.startsWith(wanted)) return 0;
  if (wanted.length < SHORTEST_MISSPELT) return Number.POSITIVE_INFINITY;
  const most = wanted.length < SHORTEST_MISSPELT_TWICE ? 1 : 2;
  if (Math.abs(wanted.length - word.length) > most) return Number.POSITIVE_INFINITY;
  const edits = editDistance([...wanted], [...word]);
  return edits > most ? Number.POSITIVE_INFINITY : edits;
}

function lengthOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + [...word].length, 0);
}

const SHORTEST_MISSPELT_TWICE = 8;
