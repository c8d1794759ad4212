import { expect, onTestFinished, test } from 'vitest';
import { countAnswered, countContradicted } from '../../src/warehouse/query.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { bench, resultPage, START_MS } from '../support/loader.ts';

test('a search without results contradicts a known name that begins with its text', () => {
  const warehouse = openWarehouse({ path: ':memory:', nowMs: START_MS });
  onTestFinished(() => warehouse.close());
  const { search } = bench({ warehouse });
  search('acme', resultPage({ id: '1', name: 'Acme Foods' }));
  search('ac', { total: 0, results: [] });
  search('foods', { total: 0, results: [] });
  search('zulu', { total: 0, results: [] });
  expect(countAnswered(warehouse.db)).toEqual({ queries: 4, successful: 1 });
  expect(countContradicted(warehouse.db)).toBe(1);
});
