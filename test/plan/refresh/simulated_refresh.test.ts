import { expect, test } from 'vitest';
import { simulate } from '../../support/simulation/refresh/simulate.ts';

const SMALL = { companies: 1000, shape: 0.5, meanDays: 60, callsPerDay: 10 };
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

// These figures change with almost every change of the planner's choices. Lower figures need a reason.
test('refresh keeps a large share of the records right, and repeats listings in proportion to what they show', () => {
  const table = [
    { shown: 0, pageSize: null },
    { shown: 0.4, pageSize: 20 },
    { shown: 0.7, pageSize: 100 },
    { shown: 1, pageSize: 20 },
  ].map((listings) => {
    const { right, listings: share } = simulate({ ...SMALL, ...listings }, 2);
    return `${JSON.stringify(listings)}: ${right.toFixed(4)} right, ${share.toFixed(4)} of the calls are listings`;
  });
  expect(table.join('\n')).toMatchInlineSnapshot(`
    "{"shown":0,"pageSize":null}: 0.6690 right, 0.0000 of the calls are listings
    {"shown":0.4,"pageSize":20}: 0.6562 right, 0.1851 of the calls are listings
    {"shown":0.7,"pageSize":100}: 0.7540 right, 0.1153 of the calls are listings
    {"shown":1,"pageSize":20}: 0.8098 right, 0.2275 of the calls are listings"
  `);
});
