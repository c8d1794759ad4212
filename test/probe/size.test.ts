import { expect, it } from 'vitest';
import type { Param } from '../../src/probe/exchange.ts';
import { believeParams } from '../../src/probe/params.ts';
import { areUneven, findSize, wholeness } from '../../src/probe/size.ts';
import { searchPage } from '../support/probe_exchanges.ts';

const NO_SOURCES = { configured: [], constant: [], stated: [], inPath: [], keys: [], envelope: [] };

/** A page with this many of 90 rows, requested with these page sizes. */
function pageOf(query: string, count: number, sizes: readonly Param[]) {
  const page = searchPage(
    query,
    Array.from({ length: count }, (_, index) => ({ id: `${query}${index}`, name: '' })),
  );
  const { exchange } = page;
  const request = { ...exchange.request, params: [...exchange.request.params, ...sizes] };
  return { ...page, exchange: { ...exchange, request }, rows: page.ids.map((id) => ({ id })), total: 90 };
}

it('a page size that was one of many is only likely until another value confirms it', () => {
  const names = ['limit', 'per_page', 'page_size', 'size', 'rows'];
  const sizes = names.map((name, index): Param => [name, String(16 + index)]);
  const params = believeParams([], NO_SOURCES);
  const certaintyOf = (pages: ReturnType<typeof pageOf>[]) =>
    findSize(pages, [], params, { param: null, maxSize: null }).param;
  const first = [pageOf('a', 17, sizes), pageOf('b', 20, [])];
  expect(certaintyOf(first)).toMatchObject({ value: 'per_page', certainty: 'likely' });
  const confirmed = [...first, pageOf('c', 3, [['per_page', '3']])];
  expect(certaintyOf(confirmed)).toMatchObject({ value: 'per_page', certainty: 'sure' });
});

it('a page does not have all matches of its query if another parameter has a word', () => {
  const facts = findSize([], [], believeParams([], NO_SOURCES), { param: null, maxSize: null });
  const page = (others: readonly Param[]) => ({ ...pageOf('marlin', 3, others), total: 3 });
  expect(wholeness([], facts)(page([['limit', '20']]))).toBe(true);
  expect(wholeness([], facts)(page([['forename', 'marlin']]))).toBe(false);
});

it('if a page is shorter than another and is not the last one, only a page without rows is the last one', () => {
  const paging = { param: 'page', first: 1 };
  const page = (count: number, number: string, total: number | null = null) => ({
    ...pageOf('a', count, [['page', number]]),
    total,
  });
  const isUneven = (...pages: ReturnType<typeof page>[]) => {
    return areUneven(pages, paging);
  };
  expect(isUneven(page(17, '1'), page(20, '2'))).toBe(true);
  expect(isUneven(page(20, '1'), page(17, '2'))).toBe(false);
  expect(isUneven(page(17, '1', 90), page(20, '2', 90))).toBe(false);
});
