import { expect, test } from 'vitest';
import { Paging, pagingMethod } from '../../src/dialect/paging/paging.ts';
import { parseJson } from '../../src/json/json.ts';

test('a listing ends when the next cursor equals the first cursor', () => {
  const settings = Paging.parse({ style: 'cursor', param: 'c', next: '/next', first: '*' });
  const next = (cursor: string) =>
    pagingMethod('cursor').nextPage(settings, parseJson(`{"next":"${cursor}"}`), {});
  expect([next('*'), next('abc')]).toEqual([null, 'abc']);
});

test('an offset counts the rows received if it is known, and full pages otherwise', () => {
  const settings = Paging.parse({ style: 'offset', param: 'start', first: 1, size: 20 });
  const request = (next: string | null) => pagingMethod('offset').requestOf(settings, { index: 2, next });
  expect([request('16'), request(null)]).toEqual([
    { parameters: { start: '17' } },
    { parameters: { start: '41' } },
  ]);
});
