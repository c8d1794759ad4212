import fc from 'fast-check';
import { IANAZone } from 'luxon';
import { describe, expect, it, vi } from 'vitest';
import { forecastCompletion, forecastRange, startOfCallsMs } from '../../src/allowance/call_forecast.ts';
import { allowanceOf } from '../support/ledger.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2027-03-10T18:00:00Z');
const NONE = allowanceOf({ reserve: 0.1 });
const forecast = (given: Partial<Parameters<typeof forecastCompletion>[0]>) =>
  forecastCompletion({ left: [], purpose: 'scheduled', nowMs: NOW, allowance: NONE, calls: 0, ...given });
const leftToday = (left: number) => [{ name: 'day', left }] as const;

describe('forecastCompletion', () => {
  it('without limits, the forecast ends now', () => {
    expect(forecast({ allowance: NONE, calls: 5000 })).toMatchObject({
      affordable: 5000,
      finishesAtMs: NOW,
      atRateMs: 0,
    });
  });

  it('a forecast with a rate includes the margin of one second per minute', () => {
    const allowance = { ...NONE, perMinute: 10 };
    const { finishesAtMs, atRateMs, days } = forecast({ allowance, calls: 1000 });
    expect(finishesAtMs - NOW).toBe(6_100_000);
    expect(atRateMs).toBe(6_100_000);
    expect(days).toBe(1);
    expect(forecast({ allowance, calls: 1_000_000 }).days).toBe(72);
  });

  it('a forecast with a daily limit waits for each midnight', () => {
    const allowance = { ...NONE, perDay: 1000, perMinute: 10 };
    const left = leftToday(400);
    const today = forecast({ allowance, left, calls: 400 });
    expect(today.finishesAtMs).toBeLessThan(Date.parse('2027-03-11T00:00:00Z'));
    const tomorrow = forecast({ allowance, left, calls: 401 });
    expect(new Date(tomorrow.finishesAtMs).toISOString()).toBe('2027-03-11T00:00:06.100Z');
    const later = forecast({ allowance, left, calls: 400 + 3 * 1000 });
    expect(new Date(later.finishesAtMs).toISOString().slice(0, 10)).toBe('2027-03-13');
  });

  it("a backfill's forecast leaves out the reserve", () => {
    const allowance = { ...NONE, perDay: 1000 };
    const left = leftToday(900);
    const { finishesAtMs } = forecast({
      allowance,
      left,
      calls: 1900,
      purpose: 'backfill',
    });
    expect(new Date(finishesAtMs).toISOString().slice(0, 10)).toBe('2027-03-12');
  });

  it('a forecast with a total limit reports how many calls are affordable', () => {
    const allowance = { ...NONE, total: 100 };
    expect(forecast({ allowance, left: [{ name: 'total', left: 60 }], calls: 200 })).toMatchObject({
      affordable: 60,
      finishesAtMs: NOW,
    });
    expect(forecast({ allowance, left: [{ name: 'total', left: 0 }], calls: 5 }).affordable).toBe(0);
  });

  it('a forecast with a rolling day starts that day now', () => {
    const allowance = { ...NONE, perDay: 100, day: { kind: 'rolling' } as const };
    const { finishesAtMs } = forecast({
      allowance,
      left: leftToday(30),
      calls: 230,
    });
    expect(finishesAtMs).toBe(NOW + 2 * DAY);
  });

  it("a forecast counts the account's days on which calls are made", () => {
    const allowance = { ...NONE, perDay: 1000 };
    const left = leftToday(400);
    const daysFor = (calls: number) => forecast({ allowance, left, calls }).days;
    expect([0, 400, 1400, 1401, 3400].map(daysFor)).toEqual([0, 1, 2, 3, 4]);
  });

  it('a forecast without a daily limit counts the days that the rate needs', () => {
    const allowance = { ...NONE, perMinute: 10 };
    const daysFor = (calls: number) => forecast({ allowance, calls }).days;
    // Six hours of this day are left, in which 3,540 calls are made.
    expect([1, 3540, 3542, 15_000].map(daysFor)).toEqual([1, 1, 2, 2]);
  });

  it('a forecast with a rolling day counts 24-hour periods from now', () => {
    const allowance = { ...NONE, perDay: 100, day: { kind: 'rolling' } as const };
    const left = leftToday(30);
    const daysFor = (calls: number) => forecast({ allowance, left, calls }).days;
    expect([30, 31, 230].map(daysFor)).toEqual([1, 2, 3]);
  });

  it('a forecast that starts later uses the limits in force at that time', () => {
    const allowance = { ...NONE, perDay: 100 };
    const left = leftToday(0);
    const midnight = Date.parse('2027-03-11T00:00:00Z');
    const finish = (startsAtMs: number) => forecast({ allowance, left, calls: 100, startsAtMs }).finishesAtMs;
    expect(finish(NOW)).toBe(midnight);
    expect(finish(midnight - 1)).toBe(midnight);
    expect(finish(midnight)).toBe(midnight);
    expect(finish(midnight + 5)).toBe(midnight + 5);
  });

  it('no forecast ends more than a hundred years from now', () => {
    const allowance = { ...NONE, perMonth: 1 };
    const left = [{ name: 'month', left: 1 }] as const;
    expect(forecast({ allowance, left, calls: 5000 }).affordable).toBe(1201);
    expect(forecast({ allowance, left, calls: 5000, purpose: 'backfill' })).toMatchObject({
      affordable: 1,
      finishesAtMs: expect.any(Number),
    });
  });

  it('a forecast ends now if no call is affordable', () => {
    const left = [{ name: 'total', left: 0 }] as const;
    const startsAtMs = NOW + DAY;
    expect(forecast({ allowance: { ...NONE, total: 5 }, left, calls: 5, startsAtMs })).toMatchObject({
      affordable: 0,
      finishesAtMs: NOW,
      days: 0,
    });
  });

  it('in a forecast, calls start only after a pause, and when the account can spend again', () => {
    expect(startOfCallsMs({ pausedUntilMs: null, resumesAtMs: null }, NOW)).toBe(NOW);
    expect(startOfCallsMs({ pausedUntilMs: NOW + 5, resumesAtMs: null }, NOW)).toBe(NOW + 5);
    expect(startOfCallsMs({ pausedUntilMs: NOW + 5, resumesAtMs: NOW + 9 }, NOW)).toBe(NOW + 9);
  });

  it('no forecast ends before the account can spend again', () => {
    const resumesAtMs = NOW + DAY + 120_000;
    const state = { pausedUntilMs: null, resumesAtMs, windows: [{ name: 'day', left: 0 } as const] };
    const input = { allowance: { ...NONE, perDay: 5 }, purpose: 'scheduled', nowMs: NOW } as const;
    expect(forecastRange({ low: 1, high: 1 }, state, input).low.finishesAtMs).toBeGreaterThanOrEqual(
      resumesAtMs,
    );
  });

  it('a forecast of a hundred years reads few windows', () => {
    const day = { kind: 'fixed', minuteOfDay: 0, timeZone: 'Europe/Berlin' } as const;
    const left = [
      { name: 'month', left: 100 },
      { name: 'day', left: 5 },
    ] as const;
    const allowance = { ...NONE, perDay: 27, perMonth: 500, perMinute: 10, day };
    const offsets = vi.spyOn(IANAZone.prototype, 'offset');
    const { affordable, days } = forecast({ allowance, left, calls: 1_000_000 });
    expect(offsets.mock.calls.length).toBeLessThan(2000);
    expect(affordable).toBe(599_897);
    expect(days).toBe(22_797);
    offsets.mockRestore();
  });

  it('equal months and days end as if each was simulated', () => {
    const day = { kind: 'fixed', minuteOfDay: 0, timeZone: 'UTC' } as const;
    const left = [
      { name: 'month', left: 500 },
      { name: 'day', left: 27 },
    ] as const;
    const allowance = { ...NONE, perDay: 27, perMonth: 500, day };
    const { finishesAtMs, days } = forecast({ allowance, left, calls: 500 * 25 });
    // 18 days of 27 calls and one of 14 in each month, the first of which is 10 March 2027.
    expect(new Date(finishesAtMs).toISOString()).toBe('2029-03-19T00:00:00.000Z');
    expect(days).toBe(25 * 19);
  });

  it('no window in a forecast exceeds its limit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 20, max: 500 }),
        fc.integer({ min: 300, max: 5000 }),
        fc.integer({ min: 1, max: 20_000 }),
        (perDay, perMonth, calls) => {
          const allowance = { ...NONE, perDay, perMonth, perMinute: 600 };
          const left = [
            { name: 'month', left: perMonth },
            { name: 'day', left: perDay },
          ] as const;
          const { finishesAtMs, affordable } = forecast({ allowance, left, calls });
          expect(affordable).toBe(calls);
          const leastDays = Math.ceil(calls / perDay) - 1;
          const leastMonths = Math.ceil(calls / perMonth) - 1;
          expect(finishesAtMs).toBeGreaterThanOrEqual(NOW + Math.max(0, leastDays - 1) * DAY);
          expect(finishesAtMs).toBeGreaterThanOrEqual(NOW + Math.max(0, leastMonths - 1) * 28 * DAY);
        },
      ),
      { numRuns: 20 },
    );
  });
});
