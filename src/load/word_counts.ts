import type { QueryRow } from '../warehouse/query.ts';
import type { LoadSession } from './load_session.ts';

/**
 * Where names are searched by their words, these are counted: of all companies, and of those that have a word which is to
 * be asked together with a second one, because its own listing is cut off and it is too frequent to read their names for
 * it. Elsewhere nothing is counted, and loading is cheaper.
 */
export function countSearchedWords(session: LoadSession): void {
  const isWhole = isWholeWord(session);
  session.known.keepOnlyWords(isWhole);
  if (isWhole === null) return;
  session.known.countWords([{ beside: '', isWhole: false }]);
  const cutOff = [...session.queries.all()].filter((query) => isTruncatedWord(session, query));
  const frequent = cutOff.filter(({ text }) => session.known.isFrequentWord(text));
  session.known.countWords(frequent.map(({ text }) => ({ beside: text, isWhole })));
}

/** The same for one word, when it is answered. */
export function countSearchedWord(session: LoadSession, query: QueryRow): void {
  const isWhole = isWholeWord(session);
  if (isWhole === null || !isTruncatedWord(session, query) || !session.known.isFrequentWord(query.text))
    return;
  session.known.countWords([{ beside: query.text, isWhole }]);
}

/** null: names are not searched by words. */
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
