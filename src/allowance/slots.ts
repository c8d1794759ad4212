import { DAY_MS } from '../durations.ts';
import type { Account, AccountTable } from './account.ts';
import type { AccountWindows, Closure } from './account_windows.ts';
import type { CallCounts } from './call_counts.ts';
import { latestDateMs } from './clock_doubt.ts';
import { currentSpacingMs } from './upstream_reports.ts';
import { ARRIVAL_MS, clearOfResets, type Purpose } from './windows.ts';

export interface Spending {
  readonly nowMs: number;
  readonly most: number;
  readonly purpose: Purpose;
  readonly keyFingerprint: string;
}

export interface Slot {
  /** The time at which the call may be sent. It can include fractions of a millisecond. */
  readonly atMs: number;
  /** The time at which this call's unit is counted. */
  readonly countedAtMs: number;
}

export type Spent =
  | { readonly is: 'go'; readonly slots: readonly Slot[] }
  /** Try again at `untilMs`: the next slot is more than `LOOKAHEAD_MS` away, or the upstream requested a pause. */
  | { readonly is: 'wait'; readonly untilMs: number }
  | ({ readonly is: 'spent' } & Closure)
  | { readonly is: 'refused_key'; readonly sinceMs: number };

/** A slot is taken at most this long in advance, so that a killed process loses few units. */
export const LOOKAHEAD_MS = 200;

/**
 * A slot can be taken up to this long after its time, because its call can then still be sent (`SLOT_TOLERANCE_MS`).
 */
const LATENESS_MS = 100;

/**
 * Returns a function that takes slots, or returns why no slot is available. Its `nowMs` is a steady time. Call it
 * inside a ledger transaction.
 */
export function openSlots(parts: {
  readonly account: AccountTable;
  readonly counts: CallCounts;
  readonly windows: AccountWindows;
  readonly configuredSpacingMs: number;
}): (row: Account, nowMs: number, request: Spending) => Spent {
  const { account, counts, windows, configuredSpacingMs } = parts;
  return (row, nowMs, { nowMs: clockMs, most, purpose, keyFingerprint }) => {
    const aheadMs = row.ahead_ms;
    const slotSpacingMs = currentSpacingMs(row, configuredSpacingMs, nowMs);
    if (row.refused_key === keyFingerprint)
      return { is: 'refused_key', sinceMs: row.refused_at_ms ?? clockMs };
    const earliestMs = Math.max(earliestSlotMs(row, nowMs, slotSpacingMs), row.paused_until_ms);
    const firstMs = clearOfResets(earliestMs, windows.windowsAt(earliestMs, row));
    const states = windows.windowStates(firstMs, row, purpose, counts.since);
    const closure = windows.closureOf(row, states, nowMs, purpose);
    if (closure !== null)
      return {
        is: 'spent',
        ...closure,
        untilMs: closure.untilMs === null ? null : closure.untilMs + aheadMs,
      };
    if (firstMs > nowMs + LOOKAHEAD_MS) return { is: 'wait', untilMs: firstMs - LOOKAHEAD_MS + aheadMs };

    const affordable = Math.min(most, windows.leftOf(row, states, nowMs));
    const resets = states.map(({ resetsAtMs }) => (resetsAtMs ?? Infinity) - ARRIVAL_MS);
    const lastMs = Math.min(nowMs + LOOKAHEAD_MS, ...resets);
    const countedAtMs = latestDateMs(row, firstMs);
    const slots: Slot[] = [{ atMs: firstMs + aheadMs, countedAtMs }];
    for (
      let atMs = firstMs + slotSpacingMs;
      slots.length < affordable && atMs <= lastMs;
      atMs += slotSpacingMs
    )
      slots.push({ atMs: atMs + aheadMs, countedAtMs });
    account.take(slots.length, firstMs, firstMs + slots.length * slotSpacingMs);
    counts.add(slots.length, countedAtMs);
    // Use the earlier of the last two calls. Otherwise, a clock that shows 2099 only once would delete today's counts.
    if (dayNumber(firstMs) !== dayNumber(row.last_spent_ms))
      counts.deleteOld(Math.min(firstMs, row.last_spent_ms));
    return { is: 'go', slots };
  };
}

/** Uses a slot up to `LATENESS_MS` after its time, so that the following slots are not delayed. */
function earliestSlotMs({ next_slot_ms: nextMs }: Account, nowMs: number, slotSpacingMs: number): number {
  return slotSpacingMs > 0 && nextMs >= nowMs - LATENESS_MS ? nextMs : nowMs;
}

function dayNumber(ms: number): number {
  return Math.floor(ms / DAY_MS);
}
