import { describe, expect, it } from 'vitest';
import type { SearchPage } from '../../../src/probe/conclusions.ts';
import { type Exchange, sure } from '../../../src/probe/evidence.ts';
import { findMaxPageSize, requestedSizeOf } from '../../../src/probe/findings/max_page_size.ts';
import { row, searchExchange, searchPage } from '../../support/probe_exchanges.ts';

const param = sure('limit', '');

function pageOfSize(requested: number, rows: number, total: number): SearchPage {
  const exchange = withSize(searchExchange({}, 'north'), requested);
  const listed = Array.from({ length: rows }, (_, index) => row(index));
  return { ...searchPage('north', []), exchange, rows: listed, total };
}

function withSize(exchange: Exchange, size: number): Exchange {
  const { request } = exchange;
  return { ...exchange, request: { ...request, params: [...request.params, ['limit', String(size)]] } };
}

describe('the max page size', () => {
  it('the max page size is the number of rows if the request asked for more and more match', () => {
    expect(findMaxPageSize([pageOfSize(1000, 20, 500)], [], param)).toMatchObject({
      value: { rows: 20, next: null },
      certainty: 'sure',
    });
  });

  it('the max page size is not found if all matches fit on the page', () => {
    expect(findMaxPageSize([pageOfSize(1000, 20, 20)], [], param)).toMatchObject({
      value: { rows: 20, next: 1000 },
      certainty: 'open',
    });
  });

  it('the max page size is the number in an error message', () => {
    const message = searchExchange({ message: 'limit must be at most 50' }, 'north');
    const refusal: Exchange = { ...withSize(message, 1000), reading: 'refused' };
    expect(findMaxPageSize([pageOfSize(10, 10, 500)], [refusal], param)).toMatchObject({
      value: { rows: 50, next: null },
      certainty: 'sure',
    });
  });
});

describe("a page size probe's stored reason", () => {
  it("a page size probe's stored reason contains the requested size", () => {
    expect(requestedSizeOf('may a page hold 1000 rows?')).toBe('1000');
    expect(requestedSizeOf('does p take the query?')).toBeNull();
  });
});
