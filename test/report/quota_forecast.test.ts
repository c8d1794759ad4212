import { describe, expect, test } from 'vitest';
import type { WindowState } from '../../src/allowance/ledger.ts';
import { forecastQuota, observedRate } from '../../src/report/quota_forecast.ts';
import type { CallBucket } from '../../src/warehouse/page_queries.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = 100 * DAY_MS;

const hour = (atMs: number, calls: number, outcome = 'ok'): CallBucket => ({
  atMs,
  kind: 'search',
  outcome,
  calls,
  fresh: 0,
  changed: 0,
});

const total: WindowState = {
  name: 'total',
  limit: 1_000,
  sinceMs: Number.NEGATIVE_INFINITY,
  resetsAtMs: null,
  spent: 900,
  left: 100,
};
const rollingDay: WindowState = { ...total, name: 'day', limit: 20, spent: 10, left: 10 };

describe('the observed call rate', () => {
  test('counts the days without calls', () => {
    const weekly = [hour(NOW_MS - 8 * DAY_MS, 70), hour(NOW_MS - DAY_MS, 70)];
    const rate = observedRate(weekly, { firstCallMs: NOW_MS - 8 * DAY_MS, nowMs: NOW_MS });
    expect(rate).toEqual({ calls: 70, overMs: 7 * DAY_MS });
  });

  test('includes the whole hour of the first call', () => {
    const firstCallMs = NOW_MS - 80 * 60_000;
    const rate = observedRate([hour(NOW_MS - 2 * HOUR_MS, 50)], { firstCallMs, nowMs: NOW_MS });
    expect(rate).toEqual({ calls: 50, overMs: 2 * HOUR_MS });
  });

  test('excludes calls that were never sent', () => {
    const hours = [hour(NOW_MS - HOUR_MS, 5), hour(NOW_MS - HOUR_MS, 7, 'unsent')];
    expect(observedRate(hours, { firstCallMs: NOW_MS - HOUR_MS, nowMs: NOW_MS }).calls).toBe(5);
  });
});

describe('the quota forecast', () => {
  const rate = { calls: 50, overMs: DAY_MS };
  const account = { windows: [total], nowMs: NOW_MS };

  test('predicts when the quota of a window that never resets is used up', () => {
    expect(forecastQuota(total, rate, account)).toEqual({
      is: 'ends',
      atMs: NOW_MS + 2 * DAY_MS,
      perDay: 50,
    });
  });

  test('reports the unused calls if the window resets earlier', () => {
    const month: WindowState = { ...total, name: 'month', resetsAtMs: NOW_MS + DAY_MS };
    expect(forecastQuota(month, rate, account)).toMatchObject({ is: 'lasts', left: 50 });
  });

  test('assumes no more calls per day than the daily limit', () => {
    const forecast = forecastQuota(total, rate, { windows: [total, rollingDay], nowMs: NOW_MS });
    expect(forecast).toEqual({ is: 'ends', atMs: NOW_MS + 5 * DAY_MS, perDay: 20 });
  });

  test('is omitted for a daily window and for a window with nothing left', () => {
    expect(forecastQuota(rollingDay, rate, account)).toEqual({ is: 'still' });
    expect(forecastQuota({ ...total, left: 0 }, rate, account)).toEqual({ is: 'still' });
    expect(forecastQuota(total, { calls: 0, overMs: DAY_MS }, account)).toEqual({ is: 'still' });
  });
});
