import type { SearchQuery } from '../../call.ts';
import type { QueryState } from '../../knowledge.ts';
import type { Semantics } from '../../names/query_matching.ts';
import type { KeySpace } from './key_space.ts';

/**
 * Returns whether the upstream returned nothing for the query, or rejected it, because it is too short. If so, no query
 * of that length has matches. In addition, known companies match the query, or many queries of that length were
 * rejected.
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
  if (rows > 0 || length === 0 || length > LONGEST_TOO_SHORT) return false;
  const isRejected = status === 'refused' && isWord(query);
  if (!isRejected && status !== 'complete') return false;
  const isWholeWord = by === 'name' && semantics === 'token';
  if (!isRejected && (isWholeWord ? keySpace.ending(text) : keySpace.known(text)) === 0) return false;
  let rejected = 0;
  for (const other of sent()) {
    if (other.rows > 0 && isAsShort(other.query, query)) return false;
    if (other.status === 'refused' && lengthOf(other.query) === length) rejected += 1;
  }
  return !isRejected || rejected >= MANY_REJECTIONS;
}

/** Returns whether a query is not empty and not longer than `than`. */
function isAsShort(query: SearchQuery, than: SearchQuery): boolean {
  return query.by === than.by && query.text !== '' && lengthOf(query) <= lengthOf(than);
}

/** Returns whether a query has only letters and digits. An upstream may reject punctuation for another reason. */
function isWord({ text }: SearchQuery): boolean {
  return /^[\p{L}\p{N}]+$/u.test(text);
}

/** Returns the number of characters in a query. */
export function lengthOf({ text }: SearchQuery): number {
  return [...text].length;
}

// Registries rarely require more than four characters.
const LONGEST_TOO_SHORT = 3;
// Fewer queries may have been rejected because they have too many matches.
const MANY_REJECTIONS = 12;
