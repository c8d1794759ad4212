import { expect, test } from 'vitest';
import { CONFIRMED } from '../../src/allowance/ledger_clock.ts';
import { remainingQuota } from '../../src/allowance/remaining_quota.ts';
import { ledgerOf, spendAll, spendAt, UNLIMITED } from '../support/ledger.ts';

const T0 = Date.UTC(2026, 0, 1);

test('the remaining quota is what the ledger permits now', () => {
  const ledger = ledgerOf({ total: 10 });
  expect(remainingQuota(ledger, 'scheduled', T0)).toEqual({ calls: 10, lifetimeLimit: 10 });
  spendAt(ledger, T0, { most: 3 });
  expect(remainingQuota(ledger, 'scheduled', T0)).toEqual({ calls: 7, lifetimeLimit: 10 });
});

test('an exhausted allowance permits no call before its next reset', () => {
  const ledger = ledgerOf({ perDay: 2 });
  spendAll(ledger, T0 + 5000);
  expect(remainingQuota(ledger, 'scheduled', T0 + 5000)).toEqual({
    resumesAtMs: T0 + 86_400_000 + CONFIRMED.laterMs,
    isReported: false,
  });
});

test('a pause leaves no quota if it is longer than ten minutes', () => {
  const leftIn = (pauseMs: number) => {
    const state = () => ({ ...UNLIMITED, left: 5, pausedUntilMs: T0 + pauseMs });
    return remainingQuota({ state }, 'scheduled', T0);
  };
  expect(leftIn(600_000)).toEqual({ calls: 5, lifetimeLimit: null });
  expect(leftIn(600_001)).toEqual({ resumesAtMs: T0 + 600_001, isReported: true });
});
