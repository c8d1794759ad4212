import { expect, test } from 'vitest';
import type { WindowState } from '../../src/allowance/ledger.ts';
import { paceOf, perDay } from '../../src/allowance/pacing.ts';
import { DAY_MS } from '../../src/durations.ts';

const NOW_MS = 1_000 * DAY_MS;
const UNTIL_MS = NOW_MS + 100 * DAY_MS;

test('a total must last until the configured end', () => {
  const pace = paceOf({ windows: [window('total', 5_000, null)] }, UNTIL_MS, NOW_MS);
  expect(pace).toEqual({ callsLeft: 5_000, daysLeft: 100 });
  expect(perDay(pace as NonNullable<typeof pace>)).toBe(50);
});

test('of a total and a month, the one that permits fewer calls a day sets the pace', () => {
  const windows = [window('total', 5_000, null), window('month', 200, NOW_MS + 10 * DAY_MS)];
  expect(paceOf({ windows }, UNTIL_MS, NOW_MS)).toEqual({ callsLeft: 200, daysLeft: 10 });
});

test('without an end, after the end, or with a daily limit only, there is no pace', () => {
  const total = [window('total', 5_000, null)];
  expect(paceOf({ windows: total }, null, NOW_MS)).toBeNull();
  expect(paceOf({ windows: total }, NOW_MS - 1, NOW_MS)).toBeNull();
  expect(paceOf({ windows: [window('day', 100, NOW_MS + DAY_MS)] }, UNTIL_MS, NOW_MS)).toBeNull();
});

test('on the last day, every call that is left may be sent', () => {
  expect(perDay({ callsLeft: 80, daysLeft: 0.1 })).toBe(80);
});

function window(name: WindowState['name'], left: number, resetsAtMs: number | null): WindowState {
  return { name, limit: 10_000, spent: 10_000 - left, left, resetsAtMs, sinceMs: 0 };
}
