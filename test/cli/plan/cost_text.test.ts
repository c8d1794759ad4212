import { expect, test } from 'vitest';
import { type AccountCost, describeCost } from '../../../src/cli/plan/cost.ts';
import { exactly } from '../../../src/estimate/call_range.ts';

const finishOf = (low: number, high: number | null, affordable: number, days = 1) => {
  const forecast = (calls: number) => ({
    affordable: Math.min(affordable, calls),
    atRateMs: 0,
    days,
    finishesAtMs: Date.UTC(2027, 2, 10, 12),
  });
  const cost: AccountCost = {
    calls: { stats: exactly(0), search: { low, high }, entity: exactly(0) },
    total: { low, high },
    isBounded: false,
    low: forecast(low),
    high: high === null ? null : forecast(high),
    windows: [],
    left: Infinity,
    perMinute: null,
    finishCondition: null,
    nowMs: Date.UTC(2027, 2, 10),
  };
  return describeCost(cost)
    .find((line) => line.startsWith('  finish'))
    ?.slice('  finish     '.length);
};

test.each([
  [778, 1156, 90, 'never: the allowance permits 90 of 778 to 1,156 calls'],
  [778, 778, 90, 'never: the allowance permits 90 of 778 calls'],
  [778, null, 90, 'never: the allowance permits 90 of at least 778 calls'],
  [
    778,
    1156,
    900,
    expect.stringMatching(/ at the earliest, or never: the allowance permits 900 of 778 to 1,156 calls$/),
  ],
  [778, 1156, 2000, expect.not.stringContaining('never')],
])('for %s to %s calls and a remaining quota of %s, plan shows the finish %s', (low, high, left, text) => {
  expect(finishOf(low, high, left)).toEqual(text);
});

test('plan shows one figure if the ends of a range are equal after rounding', () => {
  const range = { low: 4_051, high: 4_088 };
  const end = { affordable: 5_000, atRateMs: 82_000, days: 5, finishesAtMs: Date.UTC(2027, 2, 10, 12) };
  const text = describeCost({
    calls: { stats: exactly(0), search: exactly(0), entity: range },
    total: range,
    isBounded: false,
    low: end,
    high: { ...end, atRateMs: 82_400 },
    windows: [{ name: 'day', limit: 1_000, spent: 9, left: 991 }],
    left: 991,
    perMinute: 3_000,
    finishCondition: null,
    nowMs: Date.UTC(2027, 2, 10),
  }).join('\n');
  expect(text).toContain('4.1 times 1,000 calls a day; 9 used');
  expect(text).toContain('1 min 22 s at 3,000 calls a minute');
});

test('plan shows the day of a finish once if both ends of the range are on it', () => {
  const range = { low: 100, high: 160 };
  const end = { affordable: 5_000, atRateMs: 60_000, days: 1, finishesAtMs: Date.UTC(2027, 2, 10, 12) };
  const finishBy = (laterMs: number) =>
    describeCost({
      calls: { stats: exactly(0), search: exactly(0), entity: range },
      total: range,
      isBounded: false,
      low: end,
      high: { ...end, finishesAtMs: end.finishesAtMs + laterMs },
      windows: [],
      left: Infinity,
      perMinute: null,
      finishCondition: null,
      nowMs: end.finishesAtMs - 86_400_000,
    }).at(-1);
  expect(finishBy(60_000)).toMatch(/between 10 Mar 2027, \d\d:00 \S+ and \d\d:01 \S+$/);
  expect(finishBy(3 * 86_400_000)).toMatch(/between 10 Mar 2027, .* and 13 Mar 2027$/);
});

test('plan shows no call left if the upstream reported that the quota is used up', () => {
  const range = exactly(289);
  const end = { affordable: 289, atRateMs: 6_000, days: 1, finishesAtMs: Date.UTC(2027, 2, 11) };
  const text = describeCost({
    calls: { stats: exactly(0), search: exactly(0), entity: range },
    total: range,
    isBounded: false,
    low: end,
    high: end,
    windows: [{ name: 'total', limit: 500, spent: 31, left: 469 }],
    left: 0,
    perMinute: null,
    finishCondition: null,
    nowMs: Date.UTC(2027, 2, 10),
  }).join('\n');
  expect(text).toContain('57.8 % of 500 calls in total; 31 used');
  expect(text).toMatch(/^ {2}left +0 calls$/m);
  expect(text).not.toContain('469');
});

test('without a number of companies, plan shows the earliest finish, as status does', () => {
  const earliest = / at the earliest; the number of companies to find is unknown$/;
  expect(finishOf(3, null, 100)).toMatch(earliest);
  expect(finishOf(778, null, 2000, 3)).toMatch(earliest);
});
