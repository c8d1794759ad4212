/**
 * Folding gives names, queries and words the forms in which they are compared. Three neighbours build on it:
 * `query_matching.ts` (does a query find a name?), `similarity.ts` (is it the wanted name?) and `loose_matching.ts`
 * (comparison while the rules of the upstream are unknown).
 */

/** Lower case, single spaces, no space at either end. */
export function folded(text: string): string {
  return text.toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** Folded, without diacritics and width: the form in which the query `as` finds `Åsbygg`. */
export function withoutDiacritics(text: string): string {
  return isAscii(text) ? folded(text) : folded(lowerCaseWithoutDiacritics(text));
}

/** The differences that a search ignores: none · case and runs of space · also diacritics and width (`Ａ` finds `A`). */
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

/** The words of a folded text: runs of letters, diacritics and digits. */
export function wordsOf(foldedText: string): string[] {
  return foldedText.match(WORD) ?? [];
}

/** Lower-casing comes first, because it turns "İ" into a letter with a combining dot. */
function lowerCaseWithoutDiacritics(text: string): string {
  return text.normalize('NFKD').toLowerCase().replace(DIACRITICS, '').normalize('NFC');
}

/** The test is cheaper than a replacement in the many texts that have single spaces already. */
function withSingleSpaces(text: string): string {
  return WIDE_SPACE.test(text) ? text.replace(SPACES, ' ') : text;
}

const DIACRITICS = /\p{M}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
const ASCII = /^[\x00-\x7f]*$/;
const WIDE_SPACE = /[^\S ]|\s{2}/u;
const SPACES = /\s+/gu;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
