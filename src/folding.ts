/** The form in which names and queries are compared: lower case, one kind of space, none at the ends. */
export function folded(text: string): string {
  return text.toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** The words of a folded name: runs of letters, marks and digits. */
export function wordsOf(foldedText: string): string[] {
  return foldedText.match(WORD) ?? [];
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
