import { describe, expect, onTestFinished, test } from 'vitest';
import type { WindowState } from '../../src/allowance/ledger.ts';
import { isoTime } from '../../src/clock.ts';
import {
  forecastQuota,
  type QuotaForecast,
  quotaForecastText,
  readCallRate,
} from '../../src/report/quota_forecast.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = 100 * DAY_MS;

const total: WindowState = {
  name: 'total',
  limit: 1_000,
  sinceMs: Number.NEGATIVE_INFINITY,
  resetsAtMs: null,
  spent: 900,
  left: 100,
};
const rollingDay: WindowState = { ...total, name: 'day', limit: 20, spent: 10, left: 10 };

test('the call rate covers the last seven days or the time since the first call, at least an hour', () => {
  const { db, close } = openWarehouse({ path: ':memory:', nowMs: NOW_MS });
  onTestFinished(close);
  const add = db.prepare(
    `INSERT INTO _call (call_id, run_id, kind, target, reason, expected, sent_at, ms, outcome, bytes)
     VALUES (?, 1, 'stats', '', '', 0, ?, 0, 'ok', 0)`,
  );
  expect(readCallRate(db, NOW_MS)).toEqual({ calls: 0, overMs: HOUR_MS });
  db.exec("INSERT INTO _run (run_id, command, started_at) VALUES (1, 'sync', '')");
  add.run(3, isoTime(NOW_MS));
  expect(readCallRate(db, NOW_MS)).toEqual({ calls: 1, overMs: HOUR_MS });
  // The rate includes the whole hour of the first call.
  add.run(2, isoTime(NOW_MS - 80 * 60_000));
  expect(readCallRate(db, NOW_MS)).toEqual({ calls: 2, overMs: 2 * HOUR_MS });
  add.run(1, isoTime(NOW_MS - 8 * DAY_MS));
  expect(readCallRate(db, NOW_MS)).toEqual({ calls: 2, overMs: 7 * DAY_MS });
});

describe('the quota forecast', () => {
  const rate = { calls: 50, overMs: DAY_MS };
  const account = { windows: [total], nowMs: NOW_MS };

  test('the quota forecast predicts when a window that never resets will be used up', () => {
    expect(forecastQuota(total, rate, account)).toEqual({
      is: 'ends',
      atMs: NOW_MS + 2 * DAY_MS,
      perDay: 50,
    });
  });

  test('the quota forecast reports the unused calls if the window resets before then', () => {
    const month: WindowState = { ...total, name: 'month', resetsAtMs: NOW_MS + DAY_MS };
    expect(forecastQuota(month, rate, account)).toMatchObject({ is: 'lasts', left: 50 });
  });

  test('the quota forecast assumes no more calls per day than the daily limit', () => {
    const forecast = forecastQuota(total, rate, { windows: [total, rollingDay], nowMs: NOW_MS });
    expect(forecast).toEqual({ is: 'ends', atMs: NOW_MS + 5 * DAY_MS, perDay: 20 });
  });

  test('the quota forecast is omitted for a daily window and for a window without remaining quota', () => {
    expect(forecastQuota(rollingDay, rate, account)).toEqual({ is: 'still' });
    expect(forecastQuota({ ...total, left: 0 }, rate, account)).toEqual({ is: 'still' });
    expect(forecastQuota(total, { calls: 0, overMs: DAY_MS }, account)).toEqual({ is: 'still' });
    const calendarDay = { ...rollingDay, resetsAtMs: NOW_MS + HOUR_MS };
    expect(forecastQuota(calendarDay, rate, account)).toEqual({ is: 'still' });
  });

  test('the quota forecast is omitted for a rolling month, whose units return one by one', () => {
    expect(forecastQuota({ ...total, name: 'month' }, rate, account)).toEqual({ is: 'still' });
  });

  test("a month's quota forecast depends neither on the month's limit nor on a longer window's", () => {
    const month: WindowState = { ...total, name: 'month', limit: 31, resetsAtMs: NOW_MS + 30 * DAY_MS };
    const windows = [{ ...total, limit: 1 }, month];
    expect(forecastQuota(month, rate, { windows, nowMs: NOW_MS })).toMatchObject({ is: 'ends', perDay: 50 });
  });

  test('the quota forecast is a clause with the rate and the time or the remaining calls, unless the time has passed', () => {
    const text = (forecast: QuotaForecast) => quotaForecastText(forecast, NOW_MS, { zone: 'UTC' });
    expect(text({ is: 'still' })).toBe(null);
    expect(text({ is: 'ends', atMs: NOW_MS, perDay: 50 })).toBe(null);
    expect(text({ is: 'ends', atMs: NOW_MS + DAY_MS, perDay: 49.6 })).toBe(
      'at 50 calls a day (last 7 days), used up by 12 Apr 1970, 00:00 UTC; allowance.pace_until makes it last longer',
    );
    const paced = quotaForecastText({ is: 'ends', atMs: NOW_MS + DAY_MS, perDay: 49.6 }, NOW_MS, {
      zone: 'UTC',
      paceUntilMs: NOW_MS + 10 * DAY_MS,
    });
    expect(paced).toBe('at 50 calls a day (last 7 days); paced to last until 21 Apr 1970');
    expect(text({ is: 'lasts', untilMs: NOW_MS, left: 1.4, perDay: 1 })).toBe(
      'at 1 call a day (last 7 days), 1 left at the reset',
    );
  });
});
