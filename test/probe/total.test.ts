import { describe, expect, it } from 'vitest';
import { type ProbeExchange, paramOf } from '../../src/probe/exchange.ts';
import { rowsAt } from '../../src/probe/rows.ts';
import { findTotal } from '../../src/probe/total.ts';
import { row, searchExchange } from '../support/probe_exchanges.ts';

const search = (query: string, rows: number, fields: object) =>
  searchExchange({ ...fields, results: Array.from({ length: rows }, (_, index) => row(index)) }, query);

const queryOf = (exchange: ProbeExchange) => paramOf(exchange, 'q');
const rowCount = (exchange: ProbeExchange) => rowsAt(exchange, '/results').length;

describe("a query's total", () => {
  it("a query's total is the number that differs between queries and counts neither rows nor pages", () => {
    const searches = [
      search('kiwi', 20, { count: 20, page: { totalElements: 83, totalPages: 5 } }),
      search('kiwifruit', 3, { count: 3, page: { totalElements: 3, totalPages: 1 } }),
    ];
    expect(findTotal(searches, rowCount, queryOf)).toMatchObject({
      value: '/page/totalElements',
      certainty: 'sure',
    });
  });

  it("a query's total can be in a header", () => {
    const at = (query: string, rows: number, total: number, header: string, value: string) => ({
      ...search(query, rows, {}),
      headers: { [header]: value.replace('N', String(total)) },
    });
    for (const [header, value] of [
      ['x-total-count', 'N'],
      ['content-range', '0-19/N'],
    ] as const)
      expect(
        findTotal([at('kiwi', 20, 83, header, value), at('fruit', 3, 3, header, value)], rowCount, queryOf),
      ).toMatchObject({ value: header, certainty: 'sure' });
  });

  it('a total is believed although a page with all matches links to an empty one', () => {
    const searches = [
      search('kiwi', 20, { total: 83, next: '/search?offset=20' }),
      search('fruit', 3, { total: 3, next: '/search?offset=20' }),
    ];
    expect(findTotal(searches, rowCount, queryOf)).toMatchObject({ value: '/total', certainty: 'sure' });
  });

  it("a query's total is not found if the only candidate always equals the number of rows", () => {
    const searches = [search('a', 20, { count: 20 }), search('b', 20, { count: 20 })];
    expect(findTotal(searches, rowCount, queryOf)).toMatchObject({ value: null, certainty: 'open' });
  });

  it('a number inside results that an object has by id is no total', () => {
    const keyed = (id: number) => ({ records: { [id]: { total: id }, '9': { total: 9 } } });
    const searches = [search('a', 2, keyed(70)), search('b', 2, keyed(80))];
    expect(findTotal(searches, rowCount, queryOf, '/records/{id}').value).toBeNull();
    expect(findTotal(searches, rowCount, queryOf).value).not.toBeNull();
  });

  it("a query's total is open if pages with as many rows may be full or hold all matches", () => {
    const searches = [
      search('co', 5, { total: 5 }),
      search('a', 7, { total: 7 }),
      search('c', 7, { total: 7 }),
    ];
    expect(findTotal(searches, rowCount, queryOf)).toMatchObject({ value: null, certainty: 'open' });
    const withEmptyPage = [...searches, search('a', 0, { total: 7 })];
    expect(findTotal(withEmptyPage, rowCount, queryOf)).toMatchObject({ value: '/total', certainty: 'sure' });
  });

  it("a query's total may equal a sent number if it differs between requests without numbers", () => {
    const sized = (query: string) => {
      const found = search(query, 7, { total: 7 });
      return {
        ...found,
        request: { ...found.request, params: [...found.request.params, ['size', '7'] as const] },
      };
    };
    const searches = [
      sized('holding'),
      sized('trading'),
      search('none', 0, { total: 0 }),
      search('a', 10, { total: 30 }),
    ];
    expect(findTotal(searches, rowCount, queryOf)).toMatchObject({ value: '/total', certainty: 'sure' });
  });

  it("a query that consists of digits is not read as the query's total if the upstream repeats it", () => {
    const searches = [
      search('kiwi', 5, { info: { rows: 5, query: 'kiwi' } }),
      search('00000044', 1, { info: { rows: 1, query: '00000044' } }),
      search('000000', 0, { info: { rows: 0, query: '000000' } }),
    ];
    expect(findTotal(searches, rowCount, queryOf).value).toBeNull();
  });
});
