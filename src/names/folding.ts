/** The form in which names and queries are compared: lower case, one kind of space, none at the ends. */
export function folded(text: string): string {
  return text.toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** As searches compare it where they overlook marks and width: `Åsbygg` is found by `as`. */
export function withoutDiacritics(text: string): string {
  if (isAscii(text)) return folded(text);
  return folded(text.normalize('NFKD').toLowerCase().replace(MARKS, '').normalize('NFC'));
}

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/** The words of a folded name: runs of letters, marks and digits. */
export function wordsOf(foldedText: string): string[] {
  return foldedText.match(WORD) ?? [];
}

export interface OrderedWord {
  readonly word: string;
  /** How many of its beginnings, the empty one among them, the word before it has as well; 0: it is the first. */
  readonly shared: number;
}

/**
 * The different words of a folded name in order, where neighbours share most: so every beginning of any of them is told
 * of one word alone. Lengths are in UTF-16 units.
 */
export function orderedWords(foldedText: string): OrderedWord[] {
  const words = wordsOf(foldedText);
  if (words.length > 1) words.sort();
  const ordered: OrderedWord[] = [];
  let before: string | null = null;
  for (const word of words) {
    if (word === before) continue;
    ordered.push({ word, shared: before === null ? 0 : 1 + sharedLength(before, word) });
    before = word;
  }
  return ordered;
}

/** How many UTF-16 units both begin with. */
export function sharedLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

const MARKS = /\p{M}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
const ASCII = /^[\x00-\x7f]*$/;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** What the search index has of a company, beside its name: each text once, on a line of its own. */
export function searchText(
  entityId: string,
  formerNames: readonly string[],
  identifiers: readonly string[],
): { formerNames: string | null; identifiers: string } {
  return {
    formerNames: formerNames.length === 0 ? null : linesOf(formerNames),
    identifiers: identifiers.length === 0 ? entityId : linesOf([entityId, ...identifiers]),
  };
}

function linesOf(texts: readonly string[]): string {
  return [...new Set(texts)].join('\n');
}
