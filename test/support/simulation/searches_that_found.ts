import type { MadeSearch } from '../../../src/knowledge.ts';

/** Creates searches that found about as many companies as expected, most recent search first. */
export function searchesThatFound(companies: readonly number[]): MadeSearch[] {
  return companies.map((found, at) => {
    const callId = companies.length - at;
    const query = { by: 'name' as const, text: 'a' };
    return {
      query,
      reason: 'an earlier search',
      expected: Math.max(found, LEAST_EXPECTED),
      found,
      callId,
      sentAfter: callId - 1,
      isSinceCount: true,
    };
  });
}

/** With this yield, no hundred searches are hopeless (see `StopRule`). */
const LEAST_EXPECTED = 0.011;
