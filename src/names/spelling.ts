/** The shortest word for which another spelling is tried. Almost all shorter words are one edit from each other. */
export const SHORTEST_MISSPELT = 4;

/**
 * Returns the words at one edit from a word: an inserted, deleted or replaced character, or two adjacent characters
 * swapped. New characters are Latin letters, so other scripts have only deletions and swaps. All returned words are long
 * enough to be misspelt.
 */
export function spellingsOf(word: string): string[] {
  const characters = [...word];
  if (characters.length < SHORTEST_MISSPELT) return [];
  const letters = /^[a-z0-9]+$/.test(word) ? LETTERS : [];
  const found = new Set<string>();
  const edit = (at: number, removed: number, inserted: string) =>
    found.add(characters.toSpliced(at, removed, inserted).join(''));
  for (let at = 0; at <= characters.length; at++) {
    for (const letter of letters) {
      edit(at, 0, letter);
      if (at < characters.length) edit(at, 1, letter);
    }
    if (at < characters.length) edit(at, 1, '');
    if (at + 1 < characters.length) edit(at, 2, `${characters[at + 1]}${characters[at]}`);
  }
  found.delete(word);
  return [...found].filter((spelling) => spelling.length >= SHORTEST_MISSPELT);
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
