import { folded, isAscii, withoutDiacritics } from './folding.ts';

/**
 * Returns all columns of the full-text index except the name. Each text appears once, on a separate line. `identifiers`
 * is null if the id is the only one.
 */
export function searchText(
  entityId: string,
  formerNames: readonly string[],
  identifiers: readonly string[],
): { formerNames: string | null; identifiers: string | null } {
  const all = linesOf([entityId, ...identifiers]);
  return {
    formerNames: formerNames.length === 0 ? null : linesOf(formerNames),
    identifiers: all === entityId ? null : all,
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
