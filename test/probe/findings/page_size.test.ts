import { expect, it } from 'vitest';
import type { SearchPage } from '../../../src/probe/conclusions.ts';
import { likely } from '../../../src/probe/evidence.ts';
import { findSize, wholeness } from '../../../src/probe/findings/page_size.ts';
import { row, searchExchange, searchPage } from '../../support/probe_exchanges.ts';

it('an empty page contains all matches even if the effect of the page size is unproven', () => {
  const pages = [pageOf('north', 2), pageOf('orth', 0)];
  const size = { ...findSize(pages, [], false), param: likely('limit', '') };
  expect(pages.map(wholeness(pages, size, null))).toEqual([false, true]);
});

const LIMIT = ['limit', '2'] as const;

function pageOf(query: string, rowCount: number): SearchPage {
  const { request, ...response } = searchExchange({}, query);
  const exchange = { ...response, request: { ...request, params: [...request.params, LIMIT] } };
  const rows = Array.from({ length: rowCount }, (_, index) => row(index));
  return { ...searchPage(query, []), exchange, rows, total: null };
}
