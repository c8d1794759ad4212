import { expect, onTestFinished, test } from 'vitest';
import { readCoverage } from '../../src/warehouse/coverage_counts.ts';
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
