/** Which differences a search overlooks: none · case and runs of space · also diacritics and width (`Ａ` finds `A`). */
export type Folding = 'none' | 'case' | 'diacritics';

export const FOLDINGS = ['none', 'case', 'diacritics'] as const satisfies readonly Folding[];

export function foldText(text: string, folding: Folding): string {
  switch (folding) {
    case 'none':
      return text;
    case 'case':
      return oneSpaced(text.toLowerCase());
    case 'diacritics':
      if (ASCII.test(text)) return oneSpaced(text.toLowerCase());
      // Marks are dropped after lower-casing, because lower-casing "İ" makes one.
      return oneSpaced(text.normalize('NFKD').toLowerCase().replace(MARKS, '').normalize('NFC'));
  }
}

/** The words of a folded text: runs of letters, marks and digits. */
export function wordsOf(folded: string): string[] {
  return folded.match(WORD) ?? [];
}

function oneSpaced(text: string): string {
  return WIDE_SPACE.test(text) ? text.replace(SPACES, ' ') : text;
}

const WIDE_SPACE = /[^\S ]|\s{2}/u;
const SPACES = /\s+/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
const ASCII = /^[\x00-\x7f]*$/;
const MARKS = /\p{M}/gu;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
