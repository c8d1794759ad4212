import { expect, test } from 'vitest';
import { fetchYield, flaggedYield, listingYield, stillRight } from '../../../src/plan/refresh/fetch_yield.ts';

const MONTHLY = 1 / 30;

test("without listings, a record's fetch yield equals the optimal schedule's index", () => {
  const ageDays = 45;
  const formula = (1 - Math.exp(-1.5) * 2.5) / MONTHLY;
  expect(fetchYield({ ratePerDay: MONTHLY, ageDays, openDays: ageDays, shown: 0 })).toBeCloseTo(formula);
  expect(fetchYield({ ratePerDay: MONTHLY, ageDays, openDays: ageDays, shown: 1 })).toBeCloseTo(formula);
  expect(fetchYield({ ratePerDay: MONTHLY, ageDays, openDays: 0, shown: 0 })).toBeCloseTo(formula);
});

test("an unflagged record's fetch yield is 0 if listings show every change", () => {
  const listed = { ratePerDay: MONTHLY, ageDays: 45, openDays: 0, shown: 1 };
  expect(fetchYield(listed)).toBeCloseTo(0);
  expect(stillRight(listed)).toBe(1);
  expect(fetchYield({ ...listed, shown: 0.5 })).toBeGreaterThan(0);
  expect(flaggedYield(MONTHLY)).toBeCloseTo(30);
});

test("a record's fetch yield rises with its age, up to the yield of a flagged record", () => {
  const yieldAt = (ageDays: number) => fetchYield({ ratePerDay: MONTHLY, ageDays, openDays: 3, shown: 0.4 });
  const yields = [5, 20, 80, 320].map(yieldAt);
  expect(yields).toEqual([...yields].sort((a, b) => a - b));
  expect(yieldAt(1e4)).toBeLessThanOrEqual(flaggedYield(MONTHLY) + 1e-9);
});

test('the listing yield is the fetch yield at the rate of the changes that listings show, less the cost of fetches', () => {
  const listing = { ratePerDay: MONTHLY, shown: 0.5, sinceDays: 45, callCostDays: 6 };
  const watch = { ratePerDay: MONTHLY / 2, ageDays: 45, openDays: 45, shown: 0 };
  expect(listingYield(listing)).toBeCloseTo(0.8 * fetchYield(watch), 9);
  expect(listingYield({ ...listing, shown: 0 })).toBe(0);
  // The company changes too often to be worth a call.
  expect(listingYield({ ...listing, callCostDays: 30 })).toBe(0);
});

test('between two listings, the fetch yield equals its formula', () => {
  const [t, o, v] = [60, 20, 0.25];
  const right = (1 - Math.exp(-MONTHLY * t)) / MONTHLY;
  const unflagged = Math.exp(-v * MONTHLY * (t - o));
  const wait = (1 - unflagged) / (v * MONTHLY) + o * unflagged;
  const p = Math.exp(-(1 - v) * MONTHLY * t - v * MONTHLY * o);
  const watch = { ratePerDay: MONTHLY, ageDays: t, openDays: o, shown: v };
  expect(stillRight(watch)).toBeCloseTo(p, 12);
  expect(fetchYield(watch)).toBeCloseTo(right - p * wait, 9);
  expect(fetchYield({ ...watch, openDays: 90 })).toBeCloseTo(fetchYield({ ...watch, openDays: 60 }), 12);
});
