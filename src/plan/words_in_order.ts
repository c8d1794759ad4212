import type { CountedInOrder } from './texts_in_order.ts';

/** Companies that have a word which begins so, or is so. */
export interface CompaniesWith {
  /** '': all. */
  readonly beside: string;
  readonly isWhole: boolean;
}

export const ALL_COMPANIES: CompaniesWith = { beside: '', isWhole: false };

/** The words of such companies, in the order of their code points: what an index answers without a look at the names. */
export interface WordsInOrder extends CountedInOrder {
  /** The words that most companies have, each with how many; the most frequent first, and the shorter of two. */
  ranked(most: number): [word: string, companies: number][];
  totals(): WordTotals;
}

export interface WordTotals {
  /** Companies that have any word. */
  readonly companies: number;
  /** Words, each counted once for each company. */
  readonly words: number;
  readonly different: number;
}
