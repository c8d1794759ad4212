import { DAY_MS } from '../durations.ts';
import type { Pace } from '../planner.ts';
import type { LedgerState } from './account_windows.ts';

/**
 * Returns the budget that must last: the account's total until the configured end, or the month's limit until it resets,
 * whichever permits fewer calls a day. Returns null if no end is configured, if the end has passed, or if neither window
 * limits the account.
 */
export function paceOf(
  { windows }: Pick<LedgerState, 'windows'>,
  untilMs: number | null,
  nowMs: number,
): Pace | null {
  if (untilMs === null || untilMs <= nowMs) return null;
  const budgets = windows.flatMap(({ name, left, resetsAtMs }) => {
    const endMs = name === 'total' ? untilMs : name === 'month' ? resetsAtMs : null;
    return endMs === null || endMs <= nowMs ? [] : [{ callsLeft: left, daysLeft: (endMs - nowMs) / DAY_MS }];
  });
  if (budgets.length === 0) return null;
  return budgets.reduce((one, other) => (perDay(other) < perDay(one) ? other : one));
}

/** Returns how many calls a day the budget permits on average. The last day counts as a whole day. */
export function perDay({ callsLeft, daysLeft }: Pace): number {
  return callsLeft / Math.max(1, daysLeft);
}
