import type { Beliefs } from './beliefs.ts';
import type { Param, ProbeRequest } from './exchange.ts';
import { withQuery } from './query.ts';

/**
 * Experiments: requests that separate the leading hypotheses of open fields. The value of a request is
 *
 *   Σ (weight of the field × how open it is × how well the response separates its hypotheses)
 *
 * `experiments.ts` sends the request with the highest value, as long as its value is worth a call.
 */

/** The weight of each field: what a mirror loses if the field is unknown. */
export const WEIGHTS = {
  address: 120,
  query: 100,
  rows: 100,
  record: 80,
  paging: 60,
  rule: 50,
  form: 45,
  listing: 40,
  breadth: 30,
  absence: 27,
  statistics: 25,
  size: 30,
  maxSize: 25,
  minLength: 20,
} as const;

export type Field = keyof typeof WEIGHTS;

/** A possible request, and how well it separates the hypotheses of each field, between 0 and 1. */
export interface Experiment {
  readonly request: ProbeRequest;
  /** Whether the request was sent before, and is sent again to compare the responses. */
  readonly isRepeat?: boolean;
  readonly separates: Partial<Record<Field, number>>;
}

/** The parameters of a search, without the constants. */
export interface SearchExperiment {
  readonly params: readonly Param[];
  readonly isRepeat?: boolean;
  readonly why: string;
  readonly separates: Partial<Record<Field, number>>;
}

/** Mirroring a registry with at most this many companies costs only a few more calls than further experiments. */
export const SMALL_REGISTRY = 500;

/** Returns the query parameter with this query, or nothing for a search without a query. */
export function queryParams({ query }: Beliefs, text: string | null): Param[] {
  if (text === null || query.value === null) return [];
  return [withQuery(query.value, text)];
}
