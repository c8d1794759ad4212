import { expect, test } from 'vitest';
import { FIRST_ESTIMATES } from '../../src/change_rate/change_estimates.ts';
import { classOfRate } from '../../src/change_rate/change_rate.ts';
import { DAY_MS } from '../../src/durations.ts';
import type { Knowledge } from '../../src/knowledge.ts';
import { priceOf } from '../../src/plan/price.ts';

const MAX_AGE = { statsMs: DAY_MS, summariesMs: DAY_MS, recordsMs: 5 * DAY_MS };
const RATES = [1 / 30, 1 / 300];

test('without a budget that must last, every due call is sent', () => {
  expect(price(null).days).toBe(0);
});

test('a budget that suffices for every due record sets no price', () => {
  expect(price({ callsLeft: 2_000 * 365, daysLeft: 365 }).days).toBe(0);
});

test('at the price, refresh calls use the calls a day that the budget permits', () => {
  const { days, ages } = price({ callsLeft: 20 * 365, daysLeft: 365 });
  const callsPerDay = [...ages.values()].reduce((sum, age) => sum + 500 / age, 0);
  expect(days).toBeGreaterThan(0);
  expect(callsPerDay).toBeCloseTo(20, 0);
});

test('the price rises when fewer calls are left, or when they must last longer', () => {
  const { days } = price({ callsLeft: 7_300, daysLeft: 365 });
  expect(price({ callsLeft: 3_650, daysLeft: 365 }).days).toBeGreaterThan(days);
  expect(price({ callsLeft: 7_300, daysLeft: 730 }).days).toBeGreaterThan(days);
});

test('calls for missing companies and records are set aside before the price is computed', () => {
  const pace = { callsLeft: 7_300, daysLeft: 365 };
  expect(price(pace, { knownCount: () => 2_000 }).days).toBeGreaterThan(price(pace).days);
  const grown = { latestStats: () => ({ observedAtMs: 0, total: 1_000 }), registryCountAt: () => 900 };
  expect(price(pace, grown).days).toBeGreaterThan(price(pace).days);
});

/** The price for 1,000 companies, half of which change once in 30 days, and half once in 300 days. */
function price(pace: { callsLeft: number; daysLeft: number } | null, changed: Partial<Knowledge> = {}) {
  const knowledge: Partial<Knowledge> = {
    knownCount: () => 1_000,
    latestStats: () => ({ observedAtMs: 0, total: 1_000 }),
    registryCountAt: () => null,
    rateClasses: () => new Map(RATES.map((rate) => [classOfRate(rate), 500])),
    changeEstimates: () => FIRST_ESTIMATES,
    ...changed,
  };
  return priceOf({
    knowledge: knowledge as Knowledge,
    maxAge: MAX_AGE,
    pace,
    pageSize: null,
    nowMs: 400 * DAY_MS,
  });
}
