import { DAY_MS } from '../durations.ts';
import type { Pace } from '../planner.ts';
import type { LedgerState } from './account_windows.ts';
import { windowLengthMs, windowRow } from './window_table.ts';

/**
 * Returns the budget that must last. It is the account's total until the configured end, or the limit of a window of more
 * than a day until it resets. Of several, the one that permits the fewest calls a day counts. Returns null if no end is configured, if the end has
 * passed, or if no such window limits the account.
 */
export function paceOf(
  { windows }: Pick<LedgerState, 'windows'>,
  untilMs: number | null,
  nowMs: number,
): Pace | null {
  if (untilMs === null || untilMs <= nowMs) return null;
  const budgets = windows.flatMap(({ name, left, resetsAtMs }) => {
    const lengthMs = windowLengthMs(windowRow(name));
    const endMs = lengthMs === Infinity ? untilMs : lengthMs > DAY_MS ? resetsAtMs : null;
    return endMs === null || endMs <= nowMs ? [] : [{ callsLeft: left, daysLeft: (endMs - nowMs) / DAY_MS }];
  });
  if (budgets.length === 0) return null;
  return budgets.reduce((one, other) => (perDay(other) < perDay(one) ? other : one));
}

/** Returns how many calls a day the budget permits on average. The last day counts as a whole day. */
export function perDay({ callsLeft, daysLeft }: Pace): number {
  return callsLeft / Math.max(1, daysLeft);
}
