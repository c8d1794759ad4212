import { describe, expect, test, vi } from 'vitest';
import { forecastCompletion } from '../../src/allowance/call_forecast.ts';
import { CONFIRMED } from '../../src/allowance/ledger_clock.ts';
import type { WindowName, WindowRow } from '../../src/allowance/window_table.ts';
import { type Allowance, isRolling, windowsAt } from '../../src/allowance/windows.ts';
import { checkAllowance } from '../../src/cli/doctor/account.ts';
import { parseConfig } from '../../src/config/load_config.ts';
import { allowanceOf as configuredAllowance } from '../../src/operations/configured_ledger.ts';
import { forecastQuota } from '../../src/report/quota_forecast.ts';
import { allowanceOf, ledgerOf, spendAll, spendAt } from '../support/ledger.ts';

vi.mock(import('../../src/allowance/window_table.ts'), async (importOriginal) => {
  const original = await importOriginal();
  const hour: WindowRow = {
    name: 'hour',
    key: 'per_hour',
    property: 'perHour',
    span: { kind: 'calendar', unit: 'day', lengthMs: 3_600_000, canRoll: true },
    words: { per: 'an hour', current: 'this hour', rolling: 'in the last hour' },
  };
  (original.WINDOW_TABLE as unknown as WindowRow[]).push(hour);
  return original;
});

const NOON_MS = Date.parse('2026-03-01T12:00:00Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A window may count a call for this much longer, because calls are counted by the minute and from their arrival. */
const RESOLUTION_MS = 2 * CONFIRMED.laterMs + 2 * MINUTE_MS;

const hourly = (perHour: number, others: Partial<Allowance> = {}) =>
  ({ perHour, day: { kind: 'rolling' }, ...others }) as Partial<Allowance>;

describe('a row added to the window table', () => {
  test("a window added to the table limits the calls in the ledger, and releases each call after the window's length", () => {
    const ledger = ledgerOf(hourly(5));
    expect(spendAll(ledger, NOON_MS)).toBe(5);
    const spent = spendAt(ledger, NOON_MS + 30 * MINUTE_MS);
    if (spent.is !== 'spent') throw new Error(`expected an exhausted window, got ${spent.is}`);
    expect(spent).toMatchObject({ window: 'hour' });
    const waitMs = (spent.untilMs ?? Infinity) - NOON_MS;
    expect(waitMs).toBeGreaterThanOrEqual(HOUR_MS);
    expect(waitMs).toBeLessThanOrEqual(HOUR_MS + RESOLUTION_MS);
    expect(spendAll(ledger, NOON_MS + waitMs)).toBe(5);
  });

  test('an added window releases calls one at a time', () => {
    const ledger = ledgerOf(hourly(3));
    for (const minute of [0, 20, 40]) expect(spendAt(ledger, NOON_MS + minute * MINUTE_MS).is).toBe('go');
    const state = ledger.state(NOON_MS + HOUR_MS + RESOLUTION_MS);
    expect(state.windows).toMatchObject([{ name: 'hour', limit: 3, spent: 2, left: 1 }]);
    expect(spendAll(ledger, NOON_MS + HOUR_MS + RESOLUTION_MS)).toBe(1);
  });

  test('an added window applies together with the others, and is the shortest', () => {
    const ledger = ledgerOf(hourly(4, { perDay: 6, total: 100 }));
    expect(spendAll(ledger, NOON_MS)).toBe(4);
    expect(spendAll(ledger, NOON_MS + 2 * HOUR_MS)).toBe(2);
    expect(ledger.state(NOON_MS + 2 * HOUR_MS).windows.map(({ name, left }) => [name, left])).toEqual([
      ['total', 94],
      ['day', 0],
      ['hour', 2],
    ]);
    expect(spendAt(ledger, NOON_MS + 2 * HOUR_MS)).toMatchObject({ is: 'spent', window: 'day' });
  });

  test('an added window leaves the reserve to scheduled work', () => {
    const ledger = ledgerOf(hourly(10, { reserve: 0.2 }));
    expect(spendAll(ledger, NOON_MS, { purpose: 'backfill' })).toBe(8);
    expect(spendAll(ledger, NOON_MS)).toBe(2);
  });

  test("an added window's length ends an exhaustion without a date", () => {
    const ledger = ledgerOf(hourly(10));
    ledger.exhaustedUntil(null, NOON_MS);
    expect(ledger.state(NOON_MS).resumesAtMs).toBe(NOON_MS + HOUR_MS);
  });

  test('an added window rolls with the day', () => {
    const allowance = allowanceOf(hourly(5, { perDay: 9 }));
    expect(windowsAt(allowance, NOON_MS).map((window) => [window.name, isRolling(window)])).toEqual([
      ['day', true],
      ['hour', true],
    ]);
  });

  test('an added window determines when the forecast ends', () => {
    const left = [{ name: 'hour' as WindowName, left: 10 }];
    const allowance = allowanceOf(hourly(100));
    const forecast = (calls: number) =>
      forecastCompletion({ allowance, left, purpose: 'scheduled', calls, nowMs: NOON_MS });
    expect(forecast(10).finishesAtMs).toBe(NOON_MS);
    expect(forecast(110).finishesAtMs).toBe(NOON_MS + HOUR_MS);
    expect(forecast(10 + 100 * 30)).toMatchObject({
      affordable: 3010,
      finishesAtMs: NOON_MS + 30 * HOUR_MS,
      days: 2,
    });
  });

  test('an added window can be set by a configuration key and an environment variable', () => {
    const text = `version: 1
source: { name: Example }
upstream: { base_url: https://registry.example, api_key: secret }
account: { id: main }
allowance: { per_hour: 7 }
`;
    const configured = (env: Record<string, string>) =>
      configuredAllowance(parseConfig({ path: 'registry-mirror.yaml', text, env }));
    expect(configured({})).toMatchObject({ perHour: 7, perDay: null });
    expect(configured({ REGISTRY_MIRROR_PER_HOUR: '9' })).toMatchObject({ perHour: 9 });
  });

  test('an added window is described in messages in its own words', () => {
    const ledger = ledgerOf(hourly(4));
    spendAt(ledger, NOON_MS);
    const [finding] = checkAllowance(ledger.state(NOON_MS));
    expect(finding?.message).toBe('3 left; 1 of 4 calls used in the last hour');
  });

  test('an added window has no quota forecast of its own, but limits the forecasts for longer windows', () => {
    const { windows } = ledgerOf(hourly(4, { total: 960 })).state(NOON_MS);
    const rate = { calls: 10_000, overMs: 24 * HOUR_MS };
    const forecasts = windows.map((window) => forecastQuota(window, rate, { windows, nowMs: NOON_MS }));
    expect(forecasts).toEqual([{ is: 'ends', atMs: NOON_MS + 240 * HOUR_MS, perDay: 96 }, { is: 'still' }]);
  });
});
