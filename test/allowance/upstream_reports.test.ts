import { describe, expect, test } from 'vitest';
import { LOOKAHEAD_MS } from '../../src/allowance/ledger.ts';
import type { QuotaReport, ReportedQuota } from '../../src/allowance/upstream_reports.ts';
import { ledgerOf, spendAll, spendAt } from '../support/ledger.ts';

const T0 = Date.parse('2026-03-01T12:00:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function reportOf(quota: Partial<ReportedQuota>, changes: Partial<QuotaReport> = {}): QuotaReport {
  const quotas = [{ window: null, left: null, limit: null, resetsAtMs: null, ...quota }];
  return { quotas, sentAtMs: T0, inFlight: 0, ...changes };
}

describe('quotas that the upstream reports', () => {
  test('a reported quota limits further calls until the reset time that the upstream gives', () => {
    const ledger = ledgerOf({ perDay: 100 });
    ledger.reportQuota(reportOf({ left: 2, resetsAtMs: T0 + HOUR_MS }), T0);
    expect(ledger.state(T0)).toMatchObject({ left: 2, reported: { left: 2, untilMs: T0 + HOUR_MS } });
    expect(spendAll(ledger, T0)).toBe(2);
    expect(spendAt(ledger, T0 + 1)).toEqual({ is: 'spent', window: 'upstream', untilMs: T0 + HOUR_MS });
    expect(ledger.state(T0 + 1)).toMatchObject({ left: 0, resumesAtMs: T0 + HOUR_MS });
    expect(spendAt(ledger, T0 + HOUR_MS).is).toBe('go');
  });

  test('a reported quota never extends the configured limit', () => {
    const ledger = ledgerOf({ perDay: 5 });
    ledger.reportQuota(reportOf({ left: 100, limit: 1000, window: 'day' }), T0);
    expect(ledger.state(T0).left).toBe(5);
    expect(spendAll(ledger, T0)).toBe(5);
  });

  test("a later call's report replaces the reported quota, but an earlier call's report can only lower it", () => {
    const ledger = ledgerOf();
    ledger.reportQuota(reportOf({ left: 10 }, { sentAtMs: T0 + 1 }), T0 + 2);
    ledger.reportQuota(reportOf({ left: 11 }, { sentAtMs: T0 }), T0 + 3);
    expect(ledger.state(T0 + 3).left).toBe(10);
    ledger.reportQuota(reportOf({ left: 8 }, { sentAtMs: T0 }), T0 + 3);
    expect(ledger.state(T0 + 3).left).toBe(8);
    ledger.reportQuota(reportOf({ left: 20 }, { sentAtMs: T0 + 5 }), T0 + 6);
    expect(ledger.state(T0 + 6).left).toBe(20);
  });

  test('a reported quota already excludes the calls in flight', () => {
    const ledger = ledgerOf();
    ledger.reportQuota(reportOf({ left: 5 }, { inFlight: 2 }), T0);
    expect(ledger.state(T0).left).toBe(3);
  });

  test("a reported limit lowers the window's limit, and applies to the calls that the ledger has counted", () => {
    const ledger = ledgerOf({ perMonth: 100 });
    for (let call = 0; call < 3; call++) spendAt(ledger, T0);
    ledger.reportQuota(reportOf({ limit: 5, window: 'day' }), T0);
    const midnightMs = Date.parse('2026-03-02T00:00:00Z');
    expect(ledger.state(T0).reported).toEqual({ left: 2, untilMs: midnightMs });
    ledger.reportQuota(reportOf({ limit: 4, window: 'total' }, { sentAtMs: T0 + 1 }), T0);
    expect(ledger.state(T0).reported?.left).toBe(1);
  });

  test("a reported quota applies to all processes that share the account, and gets an unsent call's unit back", () => {
    const first = ledgerOf();
    const second = ledgerOf({}, { path: first.path });
    first.reportQuota(reportOf({ left: 2 }), T0);
    const spent = spendAt(second, T0);
    expect(first.state(T0).left).toBe(1);
    if (spent.is === 'go') second.giveBack(spent.slots);
    expect(first.state(T0).left).toBe(2);
  });

  test.each([
    ['without a window', {}, { left: 5 }, DAY_MS],
    ['of a total', { total: 100 }, { left: 5, window: 'total' }, 32 * DAY_MS],
    ['for a rolling day', { day: { kind: 'rolling' } }, { left: 5, window: 'day' }, DAY_MS],
    ['with a distant reset', {}, { left: 5, resetsAtMs: T0 + 99 * DAY_MS }, DAY_MS],
    ['of a month', {}, { left: 5, window: 'month' }, Date.parse('2026-04-01T00:00:00Z') - T0],
  ] as const)('a reported quota %s is valid until the window resets', (_what, limits, quota, validMs) => {
    const ledger = ledgerOf(limits);
    ledger.reportQuota(reportOf(quota), T0);
    expect(ledger.state(T0).reported).toEqual({ left: 5, untilMs: T0 + validMs });
    expect(ledger.state(T0 + validMs - 1).left).toBe(5);
    expect(ledger.state(T0 + validMs).reported).toBeNull();
  });

  test('a reported quota is the lowest in the response, and never negative', () => {
    const ledger = ledgerOf();
    const [low, high] = [reportOf({ left: 1 }), reportOf({ left: 7 })];
    ledger.reportQuota({ ...low, quotas: [...high.quotas, ...low.quotas] }, T0);
    expect(ledger.state(T0).left).toBe(1);
    ledger.reportQuota({ ...low, inFlight: 3 }, T0);
    expect(ledger.state(T0).left).toBe(0);
  });

  test('a reported quota is ignored if it has no number, or if its limit has no window', () => {
    const ledger = ledgerOf();
    ledger.reportQuota({ ...reportOf({}), quotas: [] }, T0);
    ledger.reportQuota(reportOf({ limit: 5 }), T0);
    expect(ledger.state(T0).reported).toBeNull();
  });

  test('a reported quota keeps its reset time if an earlier call reports the same number', () => {
    const ledger = ledgerOf();
    ledger.reportQuota(reportOf({ left: 10, resetsAtMs: T0 + 2 * HOUR_MS }, { sentAtMs: T0 + 1 }), T0 + 2);
    ledger.reportQuota(reportOf({ left: 10, resetsAtMs: T0 + HOUR_MS }), T0 + 3);
    expect(ledger.state(T0 + 3).reported?.untilMs).toBe(T0 + 2 * HOUR_MS);
    ledger.reportQuota(reportOf({ left: 10, resetsAtMs: T0 + HOUR_MS }, { sentAtMs: T0 + 1 }), T0 + 3);
    expect(ledger.state(T0 + 3).reported?.untilMs).toBe(T0 + HOUR_MS);
  });

  test('a reported quota is ignored if the clock is set back to before the report', () => {
    const ledger = ledgerOf();
    ledger.reportQuota(reportOf({ left: 0, resetsAtMs: T0 + DAY_MS }), T0);
    expect(spendAt(ledger, T0).is).toBe('spent');
    expect(ledger.state(T0 - 5000).reported).not.toBeNull();
    expect(ledger.state(T0 - 5001).reported).toBeNull();
  });
});

describe('rates that the upstream reports', () => {
  test('a reported rate lengthens the time between calls for a day', () => {
    const ledger = ledgerOf({ perMinute: 6000 });
    ledger.reportSpacing(2000, T0);
    expect(spendAt(ledger, T0).is).toBe('go');
    expect(spendAt(ledger, T0 + 1000)).toMatchObject({ is: 'wait', untilMs: T0 + 1800 });
    expect(spendAt(ledger, T0 + 1900).is).toBe('go');
    expect(spendAt(ledger, T0 + DAY_MS, { most: 20 })).toMatchObject({ slots: { length: 20 } });
  });

  test('a reported rate lengthens the time between calls to at most an hour and a second', () => {
    const ledger = ledgerOf();
    ledger.reportSpacing(99 * HOUR_MS, T0);
    spendAt(ledger, T0);
    expect(spendAt(ledger, T0 + 1)).toEqual({ is: 'wait', untilMs: T0 + HOUR_MS + 1000 - LOOKAHEAD_MS });
  });

  test('a reported rate never shortens the configured time between calls', () => {
    const ledger = ledgerOf({ perMinute: 10 });
    ledger.reportSpacing(50, T0);
    spendAt(ledger, T0);
    expect(spendAt(ledger, T0 + 1000)).toMatchObject({ is: 'wait', untilMs: T0 + 5900 });
  });
});
