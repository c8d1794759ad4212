import { expect, onTestFinished, test } from 'vitest';
import { readCoverage, readSearchEvidence } from '../../src/warehouse/coverage_counts.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { bench, START_MS } from '../support/loader.ts';

test('coverage is at most 1, even if the registry count is below the number of known companies', () => {
  const warehouse = openWarehouse({ path: ':memory:', nowMs: START_MS });
  onTestFinished(() => warehouse.close());
  const { search, stats } = bench({ warehouse });
  search('s', {
    total: 3,
    results: ['1', '2', '3'].map((id) => ({ id, name: `Company ${id}` })),
  });
  stats({ companies: 2 });
  expect(readCoverage(warehouse.db)).toMatchObject({ known: 3, registryTotal: 2, knownShare: 1 });
});

test('a listing of all companies is checked only by the rows of searches that match fewer companies', () => {
  const warehouse = openWarehouse({ path: ':memory:', nowMs: START_MS });
  onTestFinished(() => warehouse.close());
  const { search } = bench({ warehouse });
  const results = ['1', '2', '3', '4'].map((id) => ({ id, name: `Company ${id}` }));
  search('', { total: 4, results });
  // The same limit can have ended this search after the same companies.
  search('company', { total: 4, results });
  expect(readSearchEvidence(warehouse.db).listing).toMatchObject({ rows: 4, checkedRows: 0 });
  search('c', { total: 1, results: results.slice(0, 1) });
  expect(readSearchEvidence(warehouse.db).listing).toMatchObject({ checkedRows: 1 });
});
