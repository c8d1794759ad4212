import { describe, expect, it } from 'vitest';
import type { SearchPage } from '../../../src/probe/conclusions.ts';
import type { Exchange } from '../../../src/probe/evidence.ts';
import { findMinQueryLength } from '../../../src/probe/findings/min_query_length.ts';
import { row, searchExchange, searchPage } from '../../support/probe_exchanges.ts';

const pageOf = (query: string, rows: number): SearchPage => ({
  ...searchPage(query, []),
  rows: Array.from({ length: rows }, (_, index) => row(index)),
});

const refusalOf = (query: string, message: string): Exchange => ({
  ...searchExchange({ message }, query),
  reading: 'refused',
});

describe('the min query length', () => {
  it('the min query length is 1 if a one-letter query has matches', () => {
    expect(findMinQueryLength([pageOf('a', 5)], [], 'q', null)).toMatchObject({
      value: 1,
      certainty: 'sure',
    });
  });

  it('the min query length is the number in an error message', () => {
    const refusal = refusalOf('a', 'at least 3 characters');
    expect(findMinQueryLength([], [refusal], 'q', null)).toMatchObject({ value: 3, certainty: 'sure' });
  });

  it("the min query length is probably one more than a refused query's length", () => {
    const refusal = refusalOf('no', 'invalid query');
    expect(findMinQueryLength([pageOf('nor', 5)], [refusal], 'q', 'prefix')).toMatchObject({
      value: 3,
      certainty: 'likely',
    });
  });

  it('the min query length is inferred from a refused short query, even if the request also tried a page size', () => {
    const { request, ...response } = searchExchange({ errors: [{ error: 'query-too-short' }] }, 'no');
    const params = [...request.params, ['limit', '1000'] as const];
    const refusal: Exchange = { ...response, request: { ...request, params }, reading: 'refused' };
    expect(findMinQueryLength([pageOf('nor', 5)], [refusal], 'q', 'prefix').value).toBe(3);
  });

  it('the min query length is not inferred from a query that was refused as too broad', () => {
    const refusal = refusalOf('no', 'too many results, narrow the query');
    expect(findMinQueryLength([pageOf('nor', 5)], [refusal], 'q', 'prefix').certainty).toBe('open');
  });

  it('the min query length is inferred from a prefix without matches, even if the request also had untested page sizes', () => {
    const { exchange, ...page } = pageOf('no', 0);
    const params = [...exchange.request.params, ['limit', '1000'] as const];
    const sized = { ...page, exchange: { ...exchange, request: { ...exchange.request, params } } };
    expect(findMinQueryLength([pageOf('nor', 5), sized], [], 'q', 'prefix').value).toBe(3);
  });

  it('the min query length is probably one more than the length of a prefix without matches', () => {
    expect(findMinQueryLength([pageOf('nor', 5), pageOf('no', 0)], [], 'q', 'prefix')).toMatchObject({
      value: 3,
      certainty: 'likely',
    });
  });
});
