/** The shortest word for which another spelling is tried. Almost all shorter words are one edit from each other. */
export const SHORTEST_MISSPELT = 4;

/**
 * Returns the words at one edit from a word: an inserted, deleted or replaced character, or two adjacent characters
 * swapped. New characters are Latin letters, so other scripts have only deletions and swaps. `isPossible` is called
 * with each changed part and the two characters on either side, and rules out most words before they are built.
 */
export function spellingsOf(word: string, isPossible: (part: string) => boolean): string[] {
  const characters = [...word];
  if (characters.length < SHORTEST_MISSPELT) return [];
  const letters = /^[a-z0-9]+$/.test(word) ? LETTERS : [];
  const found = new Set<string>();
  const tryEdit = (at: number, removed: number, inserted: string) => {
    const before = characters.slice(0, at).join('');
    const after = characters.slice(at + removed).join('');
    if (isPossible(before.slice(-AROUND) + inserted + after.slice(0, AROUND)))
      found.add(before + inserted + after);
  };
  for (let at = 0; at <= characters.length; at++) {
    for (const letter of letters) {
      tryEdit(at, 0, letter);
      if (at < characters.length) tryEdit(at, 1, letter);
    }
    if (at < characters.length) tryEdit(at, 1, '');
    if (at + 1 < characters.length) tryEdit(at, 2, `${characters[at + 1]}${characters[at]}`);
  }
  found.delete(word);
  return [...found];
}

/** Returns whether two words are equal or at one edit from each other. */
export function isOneEditAway(one: string, other: string): boolean {
  let from = 0;
  while (from < one.length && one[from] === other[from]) from++;
  let [oneEnd, otherEnd] = [one.length, other.length];
  while (oneEnd > from && otherEnd > from && one[oneEnd - 1] === other[otherEnd - 1]) {
    oneEnd--;
    otherEnd--;
  }
  const [left, right] = [one.slice(from, oneEnd), other.slice(from, otherEnd)];
  if (Math.max(left.length, right.length) <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
/** A trigram that includes a changed character includes at most two characters on either side. */
const AROUND = 2;
