import { expect, test } from 'vitest';
import { StopRule } from '../../src/plan/discovery/stop_rule.ts';
import { openKnowledge } from '../../src/warehouse/plan_knowledge.ts';
import { type Bench, bench } from '../support/loader.ts';

const ACME = { total: 1, results: [{ id: 'C1', name: 'Acme' }] };
const NOBODY = { total: 0, results: [] };

function inVain({ warehouse }: Bench): number {
  return new StopRule(openKnowledge(warehouse)).emptySearches;
}

test('searches that found no company for the first time are counted, in a row up to the last', () => {
  const warehouse = bench();
  expect(inVain(warehouse)).toBe(0);
  warehouse.search('a', ACME);
  warehouse.search('ac', ACME);
  warehouse.search('q', NOBODY);
  expect(inVain(warehouse)).toBe(2);
});

test('a search that finds a company begins the count anew', () => {
  const warehouse = bench();
  warehouse.search('q', NOBODY);
  warehouse.search('a', ACME);
  expect(inVain(warehouse)).toBe(0);
  warehouse.search('z', NOBODY);
  expect(inVain(warehouse)).toBe(1);
});

test('a refused search is one in vain, and one that was not answered is none', () => {
  const warehouse = bench();
  warehouse.search('a', { error: 'TOO_MANY_RESULTS' }, { status: 400 });
  expect(inVain(warehouse)).toBe(1);
  warehouse.search('b', 'out of order', { status: 503 });
  expect(inVain(warehouse)).toBe(1);
});

test('listings made again do not count, and neither do records', () => {
  const warehouse = bench();
  warehouse.search('a', ACME);
  warehouse.search('q', NOBODY);
  for (const reason of ['summaries are due again', 'summaries are due again: lists on']) {
    const query = { by: 'name' as const, text: 'a' };
    const again = { kind: 'search' as const, query, page: { index: 0, next: null }, reason, expected: 0 };
    warehouse.load([warehouse.outcome(again, ACME)]);
  }
  warehouse.record('C1', { id: 'C1', name: 'Acme' });
  expect(inVain(warehouse)).toBe(1);
});

test('another count of the registry begins anew, and the same one again does not', () => {
  const warehouse = bench();
  warehouse.stats({ companies: 20 });
  warehouse.search('q', NOBODY);
  warehouse.stats({ companies: 20 });
  warehouse.search('z', NOBODY);
  expect(inVain(warehouse)).toBe(2);

  warehouse.stats({ companies: 21 });
  expect(inVain(warehouse)).toBe(0);
  warehouse.search('x', NOBODY);
  warehouse.stats({ companies: 21 });
  expect(inVain(warehouse)).toBe(1);
});
