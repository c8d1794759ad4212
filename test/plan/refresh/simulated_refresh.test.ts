import { expect, test } from 'vitest';
import { simulate } from '../../support/simulation/refresh/simulate.ts';

const REGISTRY = { companies: 3000, shape: 2, meanDays: 180, callsPerDay: 30 };

test('fetches alone do nearly as well as the best schedule for known change rates', () => {
  const { right, optimum } = simulate({ ...REGISTRY, shown: 0, pageSize: null }, 1);
  expect(right / optimum).toBeGreaterThan(0.97);
});

test('listings that show every change are repeated, and do better than the best schedule of fetches', () => {
  const { right, optimum, listings } = simulate({ ...REGISTRY, shown: 1, pageSize: 100 }, 1);
  expect(right / optimum).toBeGreaterThan(1.15);
  expect(listings).toBeGreaterThan(0.2);
});

test('listings that show no changes are recognised and cost almost no calls', () => {
  const { right, optimum, listings, shown } = simulate({ ...REGISTRY, shown: 0, pageSize: 100 }, 1);
  expect(shown).toBeLessThan(0.1);
  expect(listings).toBeLessThan(0.02);
  expect(right / optimum).toBeGreaterThan(0.95);
});
