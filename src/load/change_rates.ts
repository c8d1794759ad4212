import type { Watched } from '../change_estimates.ts';
import type { Known } from '../warehouse/known_row.ts';
import type { Books } from './books.ts';

type Rates = Pick<Known, 'changes' | 'changingDays' | 'changingLog' | 'steadyDays' | 'rateClass'>;

/** How often the company changes, after its record was fetched. Before the first fetch there is nothing to compare. */
export function ratesAfterFetch(books: Books, known: Known, at: string, changed: boolean): Rates {
  const { evidence, rateClass } = books.estimates.book.fetched(watched(known), Date.parse(at), changed);
  return { ...evidence, rateClass };
}

/** How often the company changes, after it was listed again. */
export function ratesAfterListing(books: Books, known: Known, at: string, changed: boolean): Rates {
  const { evidence, rateClass } = books.estimates.book.listed(watched(known), Date.parse(at), changed);
  return { ...evidence, rateClass };
}

function watched({ changes, changingDays, changingLog, steadyDays, rateClass, ...known }: Known): Watched {
  return {
    evidence: { changes, changingDays, changingLog, steadyDays },
    rateClass,
    fetchedAtMs: known.fetchedAt === null ? null : Date.parse(known.fetchedAt),
    listedAtMs: known.listedAt === null ? null : Date.parse(known.listedAt),
    isFlagged: known.flaggedAt !== null,
  };
}
