import type { SearchQuery } from '../call.ts';
import type { Dialect, NameMatch } from '../dialect/dialect.ts';
import type { KnownCompany } from '../knowledge.ts';
import { folded, wordsOf } from './folding.ts';

/** How one field is searched; `unknown` is treated as word prefixes until rows tell otherwise. */
export type Semantics = Exclude<NameMatch, 'unknown'>;

/** Names are searched so; word by word, each by how it begins, where that is not known. */
export function semanticsOf({ search }: Dialect): Semantics {
  return search.matches === 'unknown' ? 'token_prefix' : search.matches;
}

/** Results of one query that can be reached; Infinity: all. */
export function windowOf({ search: { paging } }: Dialect): number {
  return (
    (paging.style === 'none' ? (paging.window ?? paging.size) : paging.window) ?? Number.POSITIVE_INFINITY
  );
}

/** The texts of length up to `longest` that find this name: the nodes of the tree that it lies under. */
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

/** Does the query find a company of this name? Several words must each be found. */
export function findsName(semantics: Semantics, queryText: string, foldedName: string): boolean {
  return nameFinder(semantics, queryText)(foldedName);
}

/** The same for one query and many names. */
export function nameFinder(semantics: Semantics, queryText: string): (foldedName: string) => boolean {
  const text = folded(queryText);
  if (semantics === 'prefix') return (name) => name.startsWith(text);
  if (semantics === 'substring') return (name) => name.includes(text);
  const wanted = wordsOf(text);
  // A name without the characters of a word does not have the word.
  return (name) => {
    if (!wanted.every((one) => name.includes(one))) return false;
    const words = wordsOf(name);
    const isFound = (one: string) =>
      words.some((word) => (semantics === 'token' ? word === one : word.startsWith(one)));
    return wanted.every(isFound);
  };
}

/** Identifiers searched by prefix: Latin letters in upper case, as SQLite's `upper` writes them. */
export function foldedIdentifier(id: string): string {
  return id.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** What searches by name, or by identifier, compare of a company. */
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
