import { describe, expect, it, test } from 'vitest';
import { sure } from '../../src/probe/exchange.ts';
import { findNextPageLink } from '../../src/probe/pages.ts';
import { cursorTrials, findPaging } from '../../src/probe/paging.ts';
import { searchExchange, searchPage } from '../support/probe_exchanges.ts';

describe('a next-page link', () => {
  it.each([
    [{ links: { next: 'https://r.example/api/search?q=a&page=2' } }, 'next_url', '/links/next'],
    [{ 'odata.nextLink': "Suppliers?$skiptoken='F1'" }, 'next_url', '/odata.nextLink'],
    [{ nextPos: 'p15x65b614d9' }, 'cursor', '/nextPos'],
    [{ paging: { next_cursor: 'abc' } }, 'cursor', '/paging/next_cursor'],
    [{ page: { nextPageToken: 'abc' } }, 'cursor', '/page/nextPageToken'],
  ])('a next-page link is found in %j', (body, is, at) => {
    expect(findNextPageLink([searchExchange(body)])).toMatchObject({ is, at });
  });

  it.each([{ links: { next: null, previous: 'x', last: '/y' } }, { has_next: true }, { results: [] }])(
    'no next-page link is found in %j',
    (body) => {
      expect(findNextPageLink([searchExchange(body)])).toBeNull();
    },
  );
});

test('a cursor keeps its effect if the API writes another cursor into each response', () => {
  const found = (from: number) =>
    [0, 1, 2].map((index) => ({ id: String(from + index), name: `Acme ${from + index}` }));
  const pageWith = (cursor: string) => ({
    ...searchPage('acme', found(0)),
    exchange: searchExchange({ nextPos: cursor }, 'acme'),
  });
  const second = searchExchange({ nextPos: 'third' }, 'acme');
  const { request } = second;
  const params = [...request.params, ['pos', 'one'] as const];
  const moved = { ...searchPage('acme', found(3)), exchange: { ...second, request: { ...request, params } } };
  const trials = cursorTrials([pageWith('one'), pageWith('two'), moved]);
  expect(trials).toEqual([{ sent: ['pos'], effective: ['pos'] }]);
});

test('the page number in responses shows the first page better than a row at another place', () => {
  const found = (...indexes: number[]) =>
    indexes.map((index) => ({ id: String(index), name: `Acme ${index}` }));
  const first = {
    ...searchPage('acme', found(0, 1, 2)),
    exchange: searchExchange({ page: 0 }, 'acme'),
    total: 9,
  };
  const second = searchExchange({ page: 2 }, 'acme');
  const params = [...second.request.params, ['page', '2'] as const, ['per_page', '1'] as const];
  // The row at 2 has moved behind the row at 1.
  const exchange = { ...second, request: { ...second.request, params } };
  const moved = { ...searchPage('acme', found(1)), exchange, total: 9 };
  const finding = findPaging([first, moved], {
    byDefault: 3,
    param: sure('per_page', ''),
    maxSize: sure({ rows: 3, next: null }, ''),
    ignored: new Set(),
    suspects: [],
  });
  expect(finding).toMatchObject({ value: { style: 'page', param: 'page', first: 0 }, certainty: 'likely' });
});
