/**
 * Folds a text for comparison while the upstream's rules are unknown. It ignores letter case, diacritics, character
 * width and the kind of space. Letters that Unicode does not decompose, such as `ø`, are replaced with plain letters.
 */
export function loosely(text: string): string {
  // Most names are ASCII, in which nothing but letter case and spaces changes.
  const isAscii = /^\p{ASCII}*$/u.test(text);
  const folded = isAscii ? text.toLowerCase() : foldLetters(text);
  return folded.replace(/\s+/gu, ' ').trim();
}

function foldLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßøæœłđıþð]/g, (letter) => PLAIN_LETTERS[letter] ?? letter);
}

const PLAIN_LETTERS: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  þ: 'th',
  ð: 'd',
};

/**
 * Returns whether the query can find this text under at least one query rule. Each word in the query must occur
 * somewhere in the text.
 */
export function mayFind(query: string, text: string): boolean {
  const loose = loosely(text);
  const words = loosely(query).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length > 0 && words.every((word) => loose.includes(word));
}
