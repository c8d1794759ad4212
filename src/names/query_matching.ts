import type { SearchQuery } from '../call.ts';
import type { Dialect, NameMatch } from '../dialect/dialect.ts';
import type { KnownCompany } from '../knowledge.ts';
import { folded, wordsOf } from './folding.ts';

/** The rule by which names match a query. */
export type Semantics = Exclude<NameMatch, 'unknown'>;

/**
 * Returns the query rule for names. If the rule is unknown, word prefix is assumed until responses show another rule.
 */
export function semanticsOf({ search }: Dialect): Semantics {
  return search.matches === 'unknown' ? 'token_prefix' : search.matches;
}

/**
 * Returns the cap, which is the maximum number of results that one query can return, or Infinity if there is no cap.
 */
export function windowOf({ search: { paging } }: Dialect): number {
  return (
    (paging.style === 'none' ? (paging.window ?? paging.size) : paging.window) ?? Number.POSITIVE_INFINITY
  );
}

/** Returns the queries of at most `longest` UTF-16 units that find this name. */
export function queriesFinding(semantics: Semantics, foldedName: string, longest: number): string[] {
  switch (semantics) {
    case 'prefix':
      return prefixesOf(foldedName, longest);
    case 'token':
      return [...new Set(wordsOf(foldedName))];
    case 'token_prefix':
      return [...new Set(wordsOf(foldedName).flatMap((word) => prefixesOf(word, longest)))];
    case 'substring':
      return substringsOf(foldedName, longest);
  }
}

/** Returns whether the query finds this name. Every word in the query must match. */
export function findsName(semantics: Semantics, queryText: string, foldedName: string): boolean {
  return nameFinder(semantics, queryText)(foldedName);
}

/** Like `findsName`, but for testing many names with one query. */
export function nameFinder(semantics: Semantics, queryText: string): (foldedName: string) => boolean {
  const text = folded(queryText);
  if (semantics === 'prefix') return (name) => name.startsWith(text);
  if (semantics === 'substring') return (name) => name.includes(text);
  const wanted = wordsOf(text);
  // The cheap substring test rules out most names, so that only a few are split into words.
  return (name) => {
    if (!wanted.every((one) => name.includes(one))) return false;
    const words = wordsOf(name);
    const isFound = (one: string) =>
      words.some((word) => (semantics === 'token' ? word === one : word.startsWith(one)));
    return wanted.every(isFound);
  };
}

/** Converts an identifier's ASCII letters to upper case, as SQLite's `upper()` does. */
export function foldedIdentifier(id: string): string {
  return id.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** Returns the company's folded text that is compared with a query: its name or its identifier. */
export function comparedText({ entityId, name }: KnownCompany, by: SearchQuery['by']): string {
  return by === 'name' ? folded(name ?? '') : foldedIdentifier(entityId);
}

function prefixesOf(text: string, longest: number): string[] {
  const prefixes: string[] = [];
  let prefix = '';
  for (const character of text) {
    prefix += character;
    if (prefix.length > longest) break;
    prefixes.push(prefix);
  }
  return prefixes;
}

function substringsOf(text: string, longest: number): string[] {
  const found = new Set<string>();
  const characters = [...text];
  for (let from = 0; from < characters.length; from++) {
    for (const one of prefixesOf(characters.slice(from, from + longest).join(''), longest)) found.add(one);
  }
  return [...found];
}
