import { type Beliefs, believe, type ProbeInput } from './beliefs.ts';
import type { ProbeRequest } from './exchange.ts';
import { bestRequest } from './experiments.ts';

export type { Beliefs, Hints, ProbeInput, SearchBeliefs } from './beliefs.ts';

/** The leading hypotheses so far and the next request. `request` is null if no further request is worth its call. */
export interface ProbeStep {
  readonly beliefs: Beliefs;
  readonly request: ProbeRequest | null;
}

/**
 * Learns an unknown API: judges all hypotheses by the responses so far, and chooses the request that separates the open
 * ones best. The function is pure. Its only state is the list of exchanges, so an interrupted probe can resume.
 */
export function probe(input: ProbeInput): ProbeStep {
  const beliefs = believe(input);
  return { beliefs, request: bestRequest(input, beliefs) };
}
