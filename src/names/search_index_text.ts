import { folded, isAscii, withoutDiacritics } from './folding.ts';

/**
 * Returns a company's former names, and its identifiers other than the id. Each text appears once, on a separate line.
 * A column without a text is null.
 */
export function searchText(
  entityId: string,
  formerNames: readonly string[],
  identifiers: readonly string[],
): { formerNames: string | null; identifiers: string | null } {
  const others = identifiers.filter((one) => one !== entityId);
  return {
    formerNames: formerNames.length === 0 ? null : linesOf(formerNames),
    identifiers: others.length === 0 ? null : linesOf(others),
  };
}

/**
 * Returns the text that the full-text index stores for a column. Lines with diacritics are repeated without them,
 * because the tokenizer in older SQLite versions ignores letter case but not diacritics.
 */
export function indexedText<T extends string | null>(text: T): T | string {
  if (text === null || isAscii(text)) return text;
  const lines = text.split('\n');
  const plain = lines.flatMap((line) => {
    const bare = withoutDiacritics(line);
    return bare === folded(line) ? [] : [bare];
  });
  return linesOf([...lines, ...plain]);
}

function linesOf(texts: readonly string[]): string {
  return [...new Set(texts)].join('\n');
}
