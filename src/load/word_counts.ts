import type { QueryRow } from '../warehouse/query.ts';
import type { LoadSession } from './load_session.ts';

/**
 * Starts the word counts that the planner needs if the upstream matches names by words.
 *
 * Two kinds of words are counted: all words in names, and the words that share a name with a frequent word whose
 * listing is truncated. The planner sends such a word only together with a second word. Without these counts, it would
 * have to read every name that contains the first word.
 *
 * Under any other query rule, nothing is counted, which makes loading faster.
 */
export function countSearchedWords(session: LoadSession): void {
  const isWhole = isWholeWord(session);
  session.names.keepOnlyWords(isWhole);
  if (isWhole === null) return;
  session.names.countWords([{ beside: '', isWhole: false }]);
  const truncated = [...session.queries.all()].filter((query) => isTruncatedWord(session, query));
  const frequent = truncated.filter(({ text }) => session.names.isFrequentWord(text));
  session.names.countWords(frequent.map(({ text }) => ({ beside: text, isWhole })));
}

/** If a searched word is frequent and its listing is truncated, starts counting the words that share a name with it. */
export function countSearchedWord(session: LoadSession, query: QueryRow): void {
  const isWhole = isWholeWord(session);
  if (isWhole === null || !isTruncatedWord(session, query) || !session.names.isFrequentWord(query.text))
    return;
  session.names.countWords([{ beside: query.text, isWhole }]);
}

/** Returns whether a query matches whole words only; null if names are not matched by words. */
function isWholeWord({ dialect: { search } }: LoadSession): boolean | null {
  switch (search.matches) {
    case 'token':
      return true;
    case 'token_prefix':
    case 'unknown':
      return false;
    default:
      return null;
  }
}

function isTruncatedWord(
  { dialect: { search } }: LoadSession,
  { by, text, status, total }: QueryRow,
): boolean {
  if (by !== 'name' || text === '' || text.includes(' ')) return false;
  if (status !== 'open') return status !== 'complete';
  return total !== null && total > (search.paging.window ?? Number.POSITIVE_INFINITY);
}
