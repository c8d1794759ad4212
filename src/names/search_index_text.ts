import { folded, isAscii, withoutDiacritics } from './folding.ts';

/** The columns of the full-text index beside the name. Each text appears once, on a line of its own. */
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

/**
 * The text that the full-text index stores for a column: its lines, and again without diacritics the lines that have
 * some. The tokenizer of older SQLite versions ignores letter case but not diacritics.
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
