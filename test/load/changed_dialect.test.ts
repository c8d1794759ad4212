import { expect, test } from 'vitest';
import { coverageEstimateOf } from '../../src/report/facts.ts';
import { readCoverage } from '../../src/warehouse/coverage_counts.ts';
import { bench } from '../support/loader.ts';

const rows = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: String(at), name: `N${at}` }));
const NO_PAGING = { style: 'none', size: 2 } as const;
const PAGES = { style: 'page', param: 'page', size: 2 } as const;

/** Three listings that the first dialect read: truncated, whole and refused. */
function listed() {
  const before = bench({ dialect: { search: { query_param: 'q', paging: NO_PAGING, min_length: 0 } } });
  before.search('', { total: 5, results: rows(2) });
  before.search('n1', { total: 1, results: rows(2).slice(1) });
  before.search('n', { error: 'too short' }, { status: 400 });
  expect(statusesIn(before)).toEqual({ '': 'capped', n1: 'complete', n: 'refused' });
  return before;
}

function statusesIn({ all }: Pick<ReturnType<typeof bench>, 'all'>): Record<string, unknown> {
  return Object.fromEntries(all('SELECT text, status FROM _query').map(({ text, status }) => [text, status]));
}

test('truncated and refused listings are read again if the dialect learns the paging', () => {
  const { warehouse } = listed();
  const after = bench({ warehouse, dialect: { search: { query_param: 'q', paging: PAGES, min_length: 0 } } });
  expect(statusesIn(after)).toEqual({ n1: 'complete' });
});

test('all queries are sent again if another parameter takes the query', () => {
  const { warehouse } = listed();
  const after = bench({
    warehouse,
    dialect: { search: { query_param: 'name', paging: NO_PAGING, min_length: 0 } },
  });
  expect(statusesIn(after)).toEqual({});
});

test('no listing is read again if only the path of the name changes', () => {
  const { warehouse } = listed();
  const after = bench({
    warehouse,
    dialect: { search: { query_param: 'q', paging: NO_PAGING, min_length: 0, name: '/id' } },
  });
  expect(Object.keys(statusesIn(after))).toHaveLength(3);
});

test('a total that counts the rows of grouped results is not compared with the companies', () => {
  const { search, warehouse } = bench({
    dialect: { search: { query_param: null, min_length: 0, paging: PAGES, group_as: 'rows' } },
  });
  search('', { total: 3, results: [...rows(2), { id: '0', name: 'Former' }] });
  expect(coverageEstimateOf(warehouse.db, readCoverage(warehouse.db))).toMatchObject({ largestTotal: null });
});
