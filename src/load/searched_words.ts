import type { QueryRow } from '../warehouse/query.ts';
import type { Books } from './books.ts';

/**
 * Where names are searched by their words, these are counted: of all companies, and of those that have a word which is to
 * be asked together with a second one, because its own listing is cut off and it is too frequent to read their names for
 * it. Elsewhere nothing is counted, and loading is cheaper.
 */
export function countSearchedWords(books: Books): void {
  const isWhole = isWholeWord(books);
  books.known.keepOnlyWords(isWhole);
  if (isWhole === null) return;
  books.known.countWords([{ beside: '', isWhole: false }]);
  const cutOff = [...books.queries.all()].filter((query) => isCutOffWord(books, query));
  const frequent = cutOff.filter(({ text }) => books.known.isFrequentWord(text));
  books.known.countWords(frequent.map(({ text }) => ({ beside: text, isWhole })));
}

/** The same for one word, when it is answered. */
export function countSearchedWord(books: Books, query: QueryRow): void {
  const isWhole = isWholeWord(books);
  if (isWhole === null || !isCutOffWord(books, query) || !books.known.isFrequentWord(query.text)) return;
  books.known.countWords([{ beside: query.text, isWhole }]);
}

/** null: names are not searched by words. */
function isWholeWord({ dialect: { search } }: Books): boolean | null {
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

function isCutOffWord({ dialect: { search } }: Books, { by, text, status, total }: QueryRow): boolean {
  if (by !== 'name' || text === '' || text.includes(' ')) return false;
  if (status !== 'open') return status !== 'complete';
  return total !== null && total > (search.paging.window ?? Number.POSITIVE_INFINITY);
}
