import { withoutDiacritics, withPlainLetters } from './folding.ts';

/**
 * Folds a text for comparison while the upstream's rules are unknown. It ignores letter case, diacritics, character
 * width and the kind of space. Letters that Unicode does not decompose, such as `ø`, are replaced with plain letters.
 */
export function loosely(text: string): string {
  return withPlainLetters(withoutDiacritics(text));
}

/**
 * Returns whether the query can find this text under at least one query rule. Each word in the query must occur
 * somewhere in the text.
 */
export function mayFind(query: string, text: string): boolean {
  const loose = loosely(text);
  const words = loosely(query).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length > 0 && words.every((word) => loose.includes(word));
}
