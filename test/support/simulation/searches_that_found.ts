import type { MadeSearch } from '../../../src/knowledge.ts';

/** Creates searches that found as many companies as expected, most recent search first. */
export function searchesThatFound(companies: readonly number[]): MadeSearch[] {
  return companies.map((found, at) => {
    const callId = companies.length - at;
    const query = { by: 'name' as const, text: 'a' };
    return {
      query,
      reason: 'next page',
      expected: found,
      found,
      callId,
      sentAfter: callId - 1,
      isSinceCount: true,
    };
  });
}
