import { expect, test } from 'vitest';
import { RATE_CLASSES } from '../../../src/change_rate/change_rate.ts';
import {
  fetchYield,
  flaggedYield,
  gainsPerDay,
  listingYield,
  stillRight,
} from '../../../src/plan/refresh/fetch_yield.ts';

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

test('a company that changes too fast to be worth a call has no gain and no listing yield', () => {
  const gains = gainsPerDay(10, 1);
  // These classes' rates are one change in 8 days and one in 64 days.
  expect(gains.get(-9)).toBe(0);
  expect(gains.get(-18)).toBeCloseTo(1 - 10 / 64);
  const ask = { ratePerDay: 1 / 64, shown: 1, sinceDays: 20 };
  expect(listingYield({ ...ask, gainPerDay: 0 })).toBe(0);
  expect(listingYield({ ...ask, gainPerDay: 1 })).toBeGreaterThan(
    listingYield({ ...ask, sinceDays: 10, gainPerDay: 1 }),
  );
});

test.each([
  [0, 5],
  [0.5, 5],
  [1, 2],
])('if listings show %d of the changes, the gain is the highest mean gain per day', (shown, callCostDays) => {
  for (const rateClass of [-24, -15, -12]) {
    const rate = 2 ** (rateClass / 3);
    const shownRate = shown * rate;
    let greatest = 0;
    // (R − μ) ⁄ L for every age up to 20 ⁄ λ.
    for (let step = 1; step <= 4000; step++) {
      const ageDays = (step / 200) * (1 / rate);
      const rightDays = (1 - Math.exp(-rate * ageDays)) / rate;
      const waitDays = shown === 0 ? ageDays : (1 - Math.exp(-shownRate * ageDays)) / shownRate;
      greatest = Math.max(greatest, (rightDays - callCostDays) / waitDays);
    }
    expect(gainsPerDay(callCostDays, shown).get(rateClass)).toBeCloseTo(greatest, 3);
  }
});

test('every rate class has a gain', () => {
  expect([...gainsPerDay(1, 0.5).keys()]).toEqual(RATE_CLASSES);
});

test('the listing yield equals the fetch yield at the rate of the changes that listings show', () => {
  const listing = { ratePerDay: MONTHLY, shown: 0.5, sinceDays: 45, gainPerDay: 0.8 };
  const watch = { ratePerDay: MONTHLY / 2, ageDays: 45, openDays: 45, shown: 0 };
  expect(listingYield(listing)).toBeCloseTo(0.8 * fetchYield(watch), 9);
  expect(listingYield({ ...listing, shown: 0 })).toBe(0);
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
