import type { SearchQuery } from '../../call.ts';
import type { QueryState } from '../../knowledge.ts';
import type { Semantics } from '../../names/query_matching.ts';
import type { KeySpace } from './key_space.ts';

/**
 * Returns whether the upstream returned nothing for the query, or rejected it, because it is too short. If so, no query
 * of that length has matches. In addition, known companies match the query, or many queries of that length were
 * rejected. If the query rule is unknown, many queries of that length must have found nothing, because another rule can
 * be the reason for one of them.
 */
export function isTooShort(
  { query, status, rows }: QueryState,
  evidence: {
    readonly keySpace: KeySpace;
    /** Null if the query rule is unknown. */
    readonly semantics: Semantics | null;
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
  const isKnown = (one: string) => (isWholeWord ? keySpace.ending(one) : keySpace.known(one)) > 0;
  if (!isRejected && semantics !== null && !isKnown(text)) return false;
  // A search for the beginnings of words can take a shorter text as a whole word.
  const onlyWhole = (one: string) => (semantics === 'token_prefix' ? keySpace.ending(one) : 0);
  let [rejected, empty] = [0, 0];
  let hasKnown = false;
  for (const other of sent()) {
    if (other.rows > onlyWhole(other.query.text) && isAsShort(other.query, query)) return false;
    if (lengthOf(other.query) !== length) continue;
    if (other.status === 'refused') rejected += 1;
    else empty += 1;
    hasKnown ||= semantics === null && isKnown(other.query.text);
  }
  return isRejected ? rejected >= MANY_QUERIES : semantics !== null || (hasKnown && empty >= MANY_QUERIES);
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
// Fewer queries may have been rejected because they have too many matches, or have found nothing by chance.
const MANY_QUERIES = 12;
