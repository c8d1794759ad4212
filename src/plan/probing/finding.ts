/** What was concluded of one thing, from what, and how sure that is. */
export interface Finding<T = unknown> {
  /** null: not found, or there is none: `because` says which. */
  readonly value: T;
  readonly certainty: Certainty;
  /** The evidence, as a sentence. */
  readonly because: string;
}

/** sure: shown by answers · likely: fits all answers, and something else might too · open: not found out. */
export type Certainty = 'sure' | 'likely' | 'open';

export const sure = <T>(value: T, because: string): Finding<T> => ({ value, certainty: 'sure', because });
export const likely = <T>(value: T, because: string): Finding<T> => ({ value, certainty: 'likely', because });
export const open = <T>(value: T, because: string): Finding<T> => ({ value, certainty: 'open', because });
