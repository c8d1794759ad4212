/**
 * Folding converts names, queries and words to the forms in which they are compared. Three files in this folder use it:
 * `query_matching.ts` (does a query find a name?), `similarity.ts` (is it the wanted name?) and `loose_matching.ts`
 * (comparison while the upstream's rules are unknown).
 */

/** The text in lower case, with single spaces and no space at either end. */
export function folded(text: string): string {
  return text.toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** The folded text without diacritics and in normal character width. In this form, the query `as` finds `Åsbygg`. */
export function withoutDiacritics(text: string): string {
  return isAscii(text) ? folded(text) : folded(lowerCaseWithoutDiacritics(text));
}

/**
 * The differences that a search ignores. `none`: no differences · `case`: letter case and repeated spaces ·
 * `diacritics`: also diacritics and character width (`Ａ` finds `A`).
 */
export type Folding = 'none' | 'case' | 'diacritics';

export const FOLDINGS = ['none', 'case', 'diacritics'] as const satisfies readonly Folding[];

/** Folds a text for a search index. Unlike `folded`, it does not remove a space at either end. */
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

/** The words of a folded text. A word consists of letters, diacritics and digits. */
export function wordsOf(foldedText: string): string[] {
  return foldedText.match(WORD) ?? [];
}

/** The text is converted to lower case first, because that turns "İ" into a letter with a combining dot. */
function lowerCaseWithoutDiacritics(text: string): string {
  return text.normalize('NFKD').toLowerCase().replace(DIACRITICS, '').normalize('NFC');
}

/** Tests before it replaces, because most texts already have single spaces and the test is cheaper. */
function withSingleSpaces(text: string): string {
  return WIDE_SPACE.test(text) ? text.replace(SPACES, ' ') : text;
}

const DIACRITICS = /\p{M}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
const ASCII = /^[\x00-\x7f]*$/;
const WIDE_SPACE = /[^\S ]|\s{2}/u;
const SPACES = /\s+/gu;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
