import type { SearchQuery } from '../call.ts';
import type { Dialect, IdentifierMatch, NameMatch } from '../dialect/dialect.ts';
import type { KnownCompany } from '../knowledge.ts';
import { folded, wordsOf } from './folding.ts';

/** The rule by which names match a query. */
export type Semantics = Exclude<NameMatch, 'unknown'>;

export interface CompanyQuery {
  /** The value `any` means both names and identifiers, for a search with one parameter for both. */
  readonly by: 'name' | 'identifier' | 'any';
  readonly text: string;
  readonly names: Semantics;
  readonly identifiers: IdentifierSearch;
}

export type IdentifierSearch = Exclude<IdentifierMatch, 'unknown'>;

/**
 * Returns the query rule for names. If the rule is unknown, word prefix is assumed until responses show another rule.
 */
export function semanticsOf({ search }: Dialect): Semantics {
  return search.matches === 'unknown' ? 'token_prefix' : search.matches;
}

/**
 * Returns whether longer queries can list the companies of a truncated listing. Whole words cannot, because the next word
 * of an unknown name is unknown.
 */
export function canSplit({ search: { matches, identifiers } }: Dialect): boolean {
  return identifiers === 'prefix' || (matches !== 'token' && matches !== 'unknown');
}

/**
 * Returns the cap, which is the maximum number of results that one query can return, or Infinity if there is no cap.
 */
export function windowOf({ search: { paging } }: Dialect): number {
  return (
    (paging.style === 'none' ? (paging.window ?? paging.size) : paging.window) ?? Number.POSITIVE_INFINITY
  );
}

/** Returns a query's total, or null if the upstream reported none or only a lower bound. */
export function exactTotal(total: number | null, { search }: Dialect): number | null {
  return total !== null && total < (search.total_clamped_at ?? Number.POSITIVE_INFINITY) ? total : null;
}

/** Returns whether the query finds this name. Every word in the query must match. */
export function findsName(semantics: Semantics, queryText: string, foldedName: string): boolean {
  return nameFinder(semantics, queryText)(foldedName);
}

/** Like `findsName`, but for testing many names with one query. */
export function nameFinder(semantics: Semantics, queryText: string): (foldedName: string) => boolean {
  return matcherOf(semantics, folded(queryText));
}

/**
 * Returns a function that tests whether a query finds a name:
 *
 * - prefix: the name starts with the query
 * - token: every word in the query is a word in the name
 * - token_prefix: every word in the query is the start of a word in the name
 * - substring: the name contains the query
 *
 * The query and the names must be folded in the same way.
 */
export function matcherOf(semantics: Semantics, text: string): (foldedName: string) => boolean {
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
