import { expect, test } from 'vitest';
import type { LedgerState, WindowState } from '../../src/allowance/ledger.ts';
import { CONFIRMED } from '../../src/allowance/ledger_clock.ts';
import { openRemainingQuota } from '../../src/allowance/remaining_quota.ts';
import { ledgerOf, spendAll, UNLIMITED } from '../support/ledger.ts';

const T0 = Date.UTC(2026, 0, 1);

/** Returns a quota whose ledger always returns this state, and how often the state has been read. */
function quotaOf(state: Partial<LedgerState>) {
  let reads = 0;
  const read = () => {
    reads += 1;
    return { ...UNLIMITED, ...state };
  };
  return { quota: openRemainingQuota({ state: read }, 'scheduled'), reads: () => reads };
}

test('the remaining quota decreases with each used unit until the ledger is read again', () => {
  const { quota } = quotaOf({ left: 8, windows: [{ name: 'total', limit: 10 } as WindowState] });
  expect(quota.left(T0)).toEqual({ calls: 8, lifetimeLimit: 10 });
  quota.countUsed();
  expect(quota.left(T0 + 199)).toEqual({ calls: 7, lifetimeLimit: 10 });
  expect(quota.left(T0 + 200)).toEqual({ calls: 8, lifetimeLimit: 10 });
});

test.each([
  ['only once for all calls within 200 ms', 0, 1],
  ['again after 200 ms', 200, 10],
  ['again after the clock is set back', -200, 10],
])('the ledger is read %s', (_title, stepMs, expected) => {
  const { quota, reads } = quotaOf({});
  for (let call = 0; call < 10; call += 1) quota.left(T0 + call * stepMs);
  expect(reads()).toBe(expected);
});

test('the ledger is read again as soon as the last known unit is used', () => {
  const { quota, reads } = quotaOf({ left: 1 });
  quota.left(T0);
  quota.countUsed();
  expect(quota.left(T0)).toEqual({ calls: 1, lifetimeLimit: null });
  expect(reads()).toBe(2);
});

test('an exhausted allowance permits no call before its next reset', () => {
  const ledger = ledgerOf({ perDay: 2 });
  spendAll(ledger, T0 + 5000);
  const quota = openRemainingQuota(ledger, 'scheduled');
  expect(quota.left(T0 + 5000)).toEqual({ resumesAtMs: T0 + 86_400_000 + CONFIRMED.laterMs });
});

test('a pause leaves no quota if it is longer than ten minutes', () => {
  const leftIn = (pauseMs: number) => quotaOf({ left: 5, pausedUntilMs: T0 + pauseMs }).quota.left(T0);
  expect(leftIn(600_000)).toEqual({ calls: 5, lifetimeLimit: null });
  expect(leftIn(600_001)).toEqual({ resumesAtMs: T0 + 600_001 });
});
