import { expect, test } from 'vitest';
import {
  fetchYield,
  flaggedYield,
  gainsPerDay,
  listingYield,
  stillRight,
} from '../../../src/plan/refresh/fetch_yield.ts';

const MONTHLY = 1 / 30;

test('if there are no listings, the fetch yield equals the index of the optimal schedule', () => {
  const ageDays = 45;
  const formula = (1 - Math.exp(-1.5) * 2.5) / MONTHLY;
  expect(fetchYield({ ratePerDay: MONTHLY, ageDays, openDays: ageDays, shown: 0 })).toBeCloseTo(formula);
  expect(fetchYield({ ratePerDay: MONTHLY, ageDays, openDays: ageDays, shown: 1 })).toBeCloseTo(formula);
  expect(fetchYield({ ratePerDay: MONTHLY, ageDays, openDays: 0, shown: 0 })).toBeCloseTo(formula);
});

test('an unflagged record has a fetch yield of 0 if listings show every change', () => {
  const listed = { ratePerDay: MONTHLY, ageDays: 45, openDays: 0, shown: 1 };
  expect(fetchYield(listed)).toBeCloseTo(0);
  expect(stillRight(listed)).toBe(1);
  expect(fetchYield({ ...listed, shown: 0.5 })).toBeGreaterThan(0);
  expect(flaggedYield(MONTHLY)).toBeCloseTo(30);
});

test('the fetch yield grows with the age of the record, up to the yield of a flagged record', () => {
  const yieldAt = (ageDays: number) => fetchYield({ ratePerDay: MONTHLY, ageDays, openDays: 3, shown: 0.4 });
  const yields = [5, 20, 80, 320].map(yieldAt);
  expect(yields).toEqual([...yields].sort((a, b) => a - b));
  expect(yieldAt(1e4)).toBeLessThanOrEqual(flaggedYield(MONTHLY) + 1e-9);
});

test('a company that changes too fast for the call cost has a gain and a listing yield of 0', () => {
  const gains = gainsPerDay(10, 1);
  // The rates of these classes are one change in 8 days and one in 64 days.
  expect(gains.get(-9)).toBe(0);
  expect(gains.get(-18)).toBeCloseTo(1 - 10 / 64);
  const ask = { ratePerDay: 1 / 64, shown: 1, sinceDays: 20 };
  expect(listingYield({ ...ask, gainPerDay: 0 })).toBe(0);
  expect(listingYield({ ...ask, gainPerDay: 1 })).toBeGreaterThan(
    listingYield({ ...ask, sinceDays: 10, gainPerDay: 1 }),
  );
});
