import { expect, test } from 'vitest';
import { StopRule } from '../../src/plan/discovery/stop_rule.ts';
import { openKnowledge } from '../../src/warehouse/plan_knowledge.ts';
import { type Bench, bench, resultPage } from '../support/loader.ts';

const ACME = resultPage({ id: 'C1', name: 'Acme' });
const NOBODY = { total: 0, results: [] };

function vainSearches({ warehouse }: Bench): number {
  return new StopRule(openKnowledge(warehouse)).emptySearches;
}

test('only the most recent consecutive searches without a new company are counted', () => {
  const warehouse = bench();
  expect(vainSearches(warehouse)).toBe(0);
  warehouse.search('a', ACME);
  warehouse.search('ac', ACME);
  warehouse.search('q', NOBODY);
  expect(vainSearches(warehouse)).toBe(2);
});

test('a search that finds a new company resets the count of searches', () => {
  const warehouse = bench();
  warehouse.search('q', NOBODY);
  warehouse.search('a', ACME);
  expect(vainSearches(warehouse)).toBe(0);
  warehouse.search('z', NOBODY);
  expect(vainSearches(warehouse)).toBe(1);
});

test('a refused search is counted, but a search without a response is not', () => {
  const warehouse = bench();
  warehouse.search('a', { error: 'TOO_MANY_RESULTS' }, { status: 400 });
  expect(vainSearches(warehouse)).toBe(1);
  warehouse.search('b', 'out of order', { status: 503 });
  expect(vainSearches(warehouse)).toBe(1);
});

test('neither repeated listings nor record calls are counted', () => {
  const warehouse = bench();
  warehouse.search('a', ACME);
  warehouse.search('q', NOBODY);
  for (const reason of ['summaries are due again', 'summaries are due again: next page']) {
    const query = { by: 'name' as const, text: 'a' };
    const again = { kind: 'search' as const, query, page: { index: 0, next: null }, reason, expected: 0 };
    warehouse.load([warehouse.outcome(again, ACME)]);
  }
  warehouse.record('C1', { id: 'C1', name: 'Acme' });
  expect(vainSearches(warehouse)).toBe(1);
});

test('a changed registry count resets the count of searches, but an unchanged one does not', () => {
  const warehouse = bench();
  warehouse.stats({ companies: 20 });
  warehouse.search('q', NOBODY);
  warehouse.stats({ companies: 20 });
  warehouse.search('z', NOBODY);
  expect(vainSearches(warehouse)).toBe(2);

  warehouse.stats({ companies: 21 });
  expect(vainSearches(warehouse)).toBe(0);
  warehouse.search('x', NOBODY);
  warehouse.stats({ companies: 21 });
  expect(vainSearches(warehouse)).toBe(1);
});

test('the latest searches have their expected and actual yields and the last response before each', () => {
  const warehouse = bench();
  warehouse.stats({ companies: 20 });
  const query = { by: 'name' as const, text: 'ac' };
  const page = { index: 0, next: null };
  const call = { kind: 'search' as const, query, page, reason: 'splits a', expected: 0.5 };
  warehouse.load([warehouse.outcome(call, ACME)]);
  const [latest] = openKnowledge(warehouse.warehouse).latestSearches();
  expect(latest).toMatchObject({ query, reason: 'splits a', expected: 0.5, found: 1, isSinceCount: true });
  expect(latest?.sentAfter).toBe((latest?.callId ?? 0) - 1);
});
