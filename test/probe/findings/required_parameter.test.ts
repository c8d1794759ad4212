import { describe, expect, it } from 'vitest';
import type { Exchange, Param } from '../../../src/probe/evidence.ts';
import {
  possibleRequiredParams,
  probeRequiredParam,
} from '../../../src/probe/findings/required_parameter.ts';
import { QUERY_PARAMS } from '../../../src/probe/word_lists.ts';
import { searchExchange } from '../../support/probe_exchanges.ts';

/** A search in an API that ignores unknown parameters and refuses searches without `required`. */
function searchWith(params: readonly Param[], required: string): Exchange {
  const { request, ...response } = searchExchange({ results: [] });
  const isAccepted = params.some(([name]) => name === required);
  return { ...response, request: { ...request, params }, reading: isAccepted ? 'ok' : 'refused' };
}

describe('the required parameter', () => {
  it.each(QUERY_PARAMS)(
    'the required parameter %s is found with at most six searches, none of which has rows',
    (required) => {
      const all = QUERY_PARAMS.map((name): Param => [name, 'limited']);
      const searches = [searchWith(all, required), searchWith([], required)];
      for (let draft = probeRequiredParam(searches); draft !== null; draft = probeRequiredParam(searches))
        searches.push(searchWith(draft.params, required));
      expect(possibleRequiredParams(searches)).toEqual([required]);
      expect(searches.length).toBeLessThanOrEqual(2 + 6);
    },
  );

  it('no parameter is required if a search without parameters is accepted', () => {
    const all = QUERY_PARAMS.map((name): Param => [name, 'limited']);
    expect(possibleRequiredParams([searchWith(all, 'q'), searchExchange({ results: [] })])).toEqual([]);
  });

  it('a refusal does not exclude parameters with values that may be too short', () => {
    const all = QUERY_PARAMS.map((name): Param => [name, 'limited']);
    const short = searchWith([['q', 'a']], 'other');
    expect(possibleRequiredParams([searchWith(all, 'q'), searchWith([], 'q'), short])).toContain('q');
  });
});
