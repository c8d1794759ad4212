import { expect, it } from 'vitest';
import type { SearchPage } from '../../../src/probe/conclusions.ts';
import { type Exchange, likely, type Param } from '../../../src/probe/evidence.ts';
import { findSize, wholeness } from '../../../src/probe/findings/page_size.ts';
import { row, searchExchange, searchPage } from '../../support/probe_exchanges.ts';

it('an empty page contains all matches even while the effect of the page size is uncertain', () => {
  const pages = [pageOf('north', 2), pageOf('orth', 0)];
  const size = { ...findSize(pages, [], false), param: likely('limit', '') };
  expect(pages.map(wholeness(pages, size, null))).toEqual([false, true]);
});

it("a refusal that states a size parameter's limit reveals the parameter", () => {
  const refusal = withParams(searchExchange({ message: 'rows must be at most 100' }, 'n'), HUGE_SIZES);
  const { param, maxSize } = findSize([pageOf('north', 2, [])], [{ ...refusal, reading: 'refused' }], false);
  expect(param).toMatchObject({ value: 'rows', certainty: 'likely' });
  expect(maxSize.value.rows).toBe(100);
});

it('two pages reveal the size parameter if each has as many rows as the parameter requests', () => {
  const first = pageOf('north', 13, [
    ...sizes(12, 'limit'),
    ...sizes(13, 'rows'),
    ...sizes(14, 'take', 'num'),
  ]);
  const second = pageOf('north', 11, [
    ...sizes(10, 'limit'),
    ...sizes(11, 'rows'),
    ...sizes(9, 'take', 'num'),
  ]);
  expect(findSize([first], [], false).param.value).toBeNull();
  expect(findSize([first, second], [], false).param).toMatchObject({ value: 'rows', certainty: 'likely' });
});

const LIMIT: Param = ['limit', '2'];
const HUGE_SIZES = [...sizes(1000, 'limit'), ...sizes(1001, 'rows'), ...sizes(1002, 'size')];

function sizes(value: number, ...names: readonly string[]): Param[] {
  return names.map((name): Param => [name, String(value)]);
}

function withParams(exchange: Exchange, params: readonly Param[]): Exchange {
  const { request } = exchange;
  return { ...exchange, request: { ...request, params: [...request.params, ...params] } };
}

function pageOf(query: string, rowCount: number, params: readonly Param[] = [LIMIT]): SearchPage {
  const exchange = withParams(searchExchange({}, query), params);
  const rows = Array.from({ length: rowCount }, (_, index) => row(index));
  return { ...searchPage(query, []), exchange, rows, total: null };
}
