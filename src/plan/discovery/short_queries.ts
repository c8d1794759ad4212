import type { SearchQuery } from '../../call.ts';
import type { QueryState } from '../../knowledge.ts';
import type { Semantics } from '../../names/query_matching.ts';
import type { KeySpace } from './key_space.ts';

/**
 * Returns whether the upstream returned nothing because the query is too short. If so, known companies match it, and no
 * query of that length has matches.
 */
export function isTooShort(
  { query, status, rows }: QueryState,
  evidence: {
    readonly keySpace: KeySpace;
    readonly semantics: Semantics;
    readonly sent: () => Iterable<QueryState>;
  },
): boolean {
  const { keySpace, semantics, sent } = evidence;
  const { text, by } = query;
  const length = lengthOf(query);
  if (status !== 'complete' || rows > 0 || length === 0 || length > LONGEST_TOO_SHORT) return false;
  const isWholeWord = by === 'name' && semantics === 'token';
  const matching = isWholeWord ? keySpace.ending(text) : keySpace.known(text);
  return matching > 0 && [...sent()].every((other) => other.rows === 0 || !isAsShort(other.query, query));
}

/** Returns whether a query is not empty and not longer than `than`. */
function isAsShort(query: SearchQuery, than: SearchQuery): boolean {
  return query.by === than.by && query.text !== '' && lengthOf(query) <= lengthOf(than);
}

/** Returns the number of characters in a query. */
export function lengthOf({ text }: SearchQuery): number {
  return [...text].length;
}

// Registries rarely require more than four characters.
const LONGEST_TOO_SHORT = 3;
