/**
 * The kinds of candidate:
 *
 * - `seen`: known companies match the query.
 * - `unseen`: no known company matches the query.
 * - `new character`: no known company matches, and the query's last character occurs in no known text.
 * - `pair`: the query has two words.
 * - `repeat`: the query was already sent before the last registry count was received.
 * - `understated`: the query's listing is understated (see `UnderstatedListings`).
 */
export type Kind = 'seen' | 'unseen' | 'new character' | 'pair' | 'repeat' | 'understated';

export const NEXT_PAGE = 'next page';
export const TRUNCATED_PAGE = 'next page of a truncated listing';
export const NEW_CHARACTER = 'new character';

/** Returns the reason for a candidate. `parent` is the query that it splits, or null if there is none. */
export function reasonFor(kind: Kind, parent: string | null): string {
  switch (kind) {
    case 'repeat':
      return 'repeated to find new companies';
    case 'understated':
      return 'repeated after too few rows';
    case 'new character':
      return NEW_CHARACTER;
    case 'pair':
      return `${PAIR} ${parent?.trim()}`;
    case 'seen':
    case 'unseen': {
      const reason = parent === null ? 'new query' : `${SPLIT} ${parent.trim()}`;
      return kind === 'seen' ? reason : `${reason}${UNSEEN}`;
    }
  }
}

/** Returns the reason without the query that is split. */
export function sortOf(reason: string): string {
  if (reason.endsWith(UNSEEN)) return `new query${UNSEEN}`;
  if (reason.startsWith(PAIR)) return PAIR;
  return reason.startsWith(SPLIT) ? 'new query' : reason;
}

const SPLIT = 'splits';
const PAIR = 'adds a word to';
const UNSEEN = ' without known matches';
