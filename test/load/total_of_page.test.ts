import { expect, test } from 'vitest';
import { bench } from '../support/loader.ts';

const dialect = { search: { paging: { style: 'page', param: 'page', size: 5 } } };

/** A page of five companies whose total is `total`. */
function full(prefix: string, total: number) {
  const results = [1, 2, 3, 4, 5].map((n) => ({ id: `${prefix}${n}`, name: `${prefix} ${n}` }));
  return { total, results };
}

test('a total that equals the rows of a full first page does not end the listing', () => {
  const { search } = bench({ dialect });
  expect(search('a', full('A', 5)).query).toMatchObject({ status: 'open', total: null });
  expect(search('a', full('B', 5), { page: 1 }).query).toMatchObject({ rows: 10 });
});

test('a total that equals the rows of a full first page ends the listing once a larger total was seen', () => {
  const { search } = bench({ dialect });
  search('a', full('A', 12));
  expect(search('b', full('B', 5)).query).toMatchObject({ status: 'complete', total: 5 });
});
