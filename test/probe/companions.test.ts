import { describe, expect, it } from 'vitest';
import { withoutCompanions } from '../../src/probe/companions.ts';
import type { Exchange, Param } from '../../src/probe/evidence.ts';
import { searchExchange } from '../support/probe_exchanges.ts';

function refusalOf(...params: readonly Param[]): Exchange {
  const { request, ...response } = searchExchange({ message: 'Bad request' });
  return { ...response, request: { ...request, params }, reading: 'refused' };
}

describe('requests without companions', () => {
  const paramsOf = (exchange: Exchange) =>
    withoutCompanions([exchange], [['land', 'all']]).map(({ request }) => request.params);

  it('a companion is removed from a request', () => {
    expect(paramsOf(refusalOf(['q', 'acorn'], ['land', 'all']))).toEqual([[['q', 'acorn']]]);
  });

  it('a refused request without the companion or with another value for it is omitted', () => {
    expect(paramsOf(refusalOf(['q', 'acorn']))).toEqual([]);
    expect(paramsOf(refusalOf(['q', 'acorn'], ['land', 'DE']))).toEqual([]);
  });

  it('a request whose query is in the supposed companion is kept, so that it is not sent again', () => {
    expect(paramsOf(refusalOf(['land', 'acorn']))).toEqual([[['land', 'acorn']]]);
  });
});
