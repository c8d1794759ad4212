/**
 * Folding converts names, queries and words to the forms in which they are compared. Three files in this folder use it.
 * `query_matching.ts` decides whether a query finds a name. `similarity.ts` decides whether a name is the wanted one.
 * `loose_matching.ts` compares texts while the upstream's rules are unknown.
 */

/**
 * Returns the text in lower case, with composed characters, single spaces and no space at either end. A name has many
 * spellings in Unicode, of which NFC is the usual one.
 */
export function folded(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

/**
 * Returns the folded text without diacritics and in normal character width. The query `as` therefore finds `Åsbygg`.
 */
export function withoutDiacritics(text: string): string {
  return isAscii(text) ? folded(text) : folded(lowerCaseWithoutDiacritics(text));
}

/** Replaces the letters of a folded text that Unicode does not decompose, such as `ø`, with plain letters. */
export function withPlainLetters(foldedText: string): string {
  return foldedText.replace(SPECIAL_LETTERS, (letter) => PLAIN_LETTERS[letter] ?? letter);
}

/**
 * The differences that a search ignores:
 *
 * - `none`: no differences
 * - `case`: letter case and repeated spaces
 * - `diacritics`: also diacritics and character width (`Ａ` finds `A`)
 */
export type Folding = 'none' | 'case' | 'diacritics';

export const FOLDINGS = ['none', 'case', 'diacritics'] as const satisfies readonly Folding[];

/** Folds a text for a search index. Unlike `folded`, it keeps a space at either end. */
export function foldText(text: string, folding: Folding): string {
  switch (folding) {
    case 'none':
      return text;
    case 'case':
      return withSingleSpaces(text.toLowerCase());
    case 'diacritics':
      return withSingleSpaces(isAscii(text) ? text.toLowerCase() : lowerCaseWithoutDiacritics(text));
  }
}

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/** Returns the words of a folded text. A word consists of letters, diacritics and digits. */
export function wordsOf(foldedText: string): string[] {
  return foldedText.match(WORD) ?? [];
}

/**
 * The text is converted to lower case before diacritics are removed, because that turns "İ" into a letter with a
 * combining dot.
 */
function lowerCaseWithoutDiacritics(text: string): string {
  return text.normalize('NFKD').toLowerCase().replace(DIACRITICS, '').normalize('NFC');
}

/** The test comes first because it is cheap and most texts already have single spaces. */
function withSingleSpaces(text: string): string {
  return WIDE_SPACE.test(text) ? text.replace(SPACES, ' ') : text;
}

const PLAIN_LETTERS: Readonly<Record<string, string>> = {
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
const SPECIAL_LETTERS = /[ßøæœłđıþð]/g;
const DIACRITICS = /\p{M}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
const ASCII = /^[\x00-\x7f]*$/;
const WIDE_SPACE = /[^\S ]|\s{2}/u;
const SPACES = /\s+/gu;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
