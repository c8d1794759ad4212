import type { BootTime } from '../clock.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import type { Account, AccountTable } from './account.ts';
import { type AccountWindows, type Closure, leftOf } from './account_windows.ts';
import type { CallCounts } from './call_counts.ts';
import {
  behindFault,
  type ClockFault,
  CONFIRMED,
  correctedAccount,
  latestTimeMs,
  uncertaintyOf,
} from './ledger_clock.ts';
import { currentSpacingMs } from './upstream_reports.ts';
import type { Purpose } from './windows.ts';

export interface Spending {
  readonly nowMs: number;
  readonly most: number;
  readonly purpose: Purpose;
  readonly keyFingerprint: string;
  /** True if a call may be sent although the clock is in doubt, because its response is compared with the clock. */
  readonly trustsClock?: boolean;
}

export interface Slot {
  /** The time at which the call may be sent. It can include fractions of a millisecond. */
  readonly atMs: number;
  /** The time at which this call's unit is counted: the latest time at which the call can have been sent. */
  readonly countedAtMs: number;
}

export type Spent =
  | { readonly is: 'go'; readonly slots: readonly Slot[] }
  /** Try again at `untilMs`: the next slot is more than `LOOKAHEAD_MS` away, or the upstream requested a pause. */
  | { readonly is: 'wait'; readonly untilMs: number }
  | ({ readonly is: 'spent' } & Closure)
  /** The clock is wrong, so the ledger cannot know which calls are permitted. */
  | { readonly is: 'clock'; readonly fault: ClockFault }
  | { readonly is: 'refused_key'; readonly sinceMs: number };

/** A slot is taken at most this long in advance, so that a killed process loses few units. */
export const LOOKAHEAD_MS = 200;

/**
 * A slot can be taken up to this long after its time, because its call can then still be sent (`SLOT_TOLERANCE_MS`).
 */
const LATENESS_MS = 100;

/**
 * How long a rejected key is believed to be invalid. Then one call asks again. A daily run can start earlier than the day
 * before, so this is less than a day.
 */
const REFUSED_FOR_MS = 23 * HOUR_MS;

/** Takes slots of an account. */
export class Slots {
  readonly #account: AccountTable;
  readonly #counts: CallCounts;
  readonly #windows: AccountWindows;
  readonly #configuredSpacingMs: number;

  constructor(
    account: AccountTable,
    counts: CallCounts,
    windows: AccountWindows,
    configuredSpacingMs: number,
  ) {
    this.#account = account;
    this.#counts = counts;
    this.#windows = windows;
    this.#configuredSpacingMs = configuredSpacingMs;
  }

  /** Takes slots, or returns why no slot is available. Call it inside a ledger transaction. */
  take(row: Account, boot: BootTime | null, request: Spending): Spent {
    const { nowMs, most, purpose, keyFingerprint, trustsClock = false } = request;
    const slotSpacingMs = currentSpacingMs(row, this.#configuredSpacingMs, nowMs);
    const refusedAtMs = row.refused_key === keyFingerprint ? (row.refused_at_ms ?? nowMs) : null;
    if (refusedAtMs !== null && nowMs < refusedAtMs + REFUSED_FOR_MS)
      return { is: 'refused_key', sinceMs: refusedAtMs };
    const behind = trustsClock ? null : behindFault(row, nowMs);
    if (behind !== null) return { is: 'clock', fault: behind };
    // A clock that was set back a little soon shows the time of the last call again.
    const latestMs = trustsClock ? nowMs : latestTimeMs(row) - LOOKAHEAD_MS;
    if (nowMs < latestMs) return { is: 'wait', untilMs: latestMs };
    const known = trustsClock ? correctedAccount(row, nowMs, slotSpacingMs) : row;
    const firstMs = Math.max(earliestSlotMs(known, nowMs, slotSpacingMs), known.paused_until_ms);
    const { earlierMs, laterMs, fault } = trustsClock ? CONFIRMED : uncertaintyOf(row, nowMs, boot);
    const states = this.#windows.windowStates(firstMs - earlierMs, row, purpose);
    const closure = this.#windows.closureOf(row, states, { nowMs, atMs: firstMs, earlierMs, purpose });
    if (closure !== null && fault !== null && closure.window !== 'upstream') return { is: 'clock', fault };
    if (closure !== null) return { is: 'spent', ...closure };
    if (firstMs > nowMs + LOOKAHEAD_MS) return { is: 'wait', untilMs: firstMs - LOOKAHEAD_MS };

    const permitted = Math.min(most, leftOf(row, states, nowMs));
    // One call shows whether the clock is right and the key is valid.
    const isInDoubt = fault !== null || refusedAtMs !== null || row.doubted_target !== null;
    const affordable = isInDoubt ? Math.min(1, permitted) : permitted;
    const slots = slotsFrom(firstMs, {
      slotSpacingMs,
      most: affordable,
      lastMs: nowMs + LOOKAHEAD_MS,
      laterMs,
    });
    this.#debit(refusedAtMs === null ? row : { ...row, refused_at_ms: nowMs }, slots, slotSpacingMs);
    // Use the earlier of the last two calls. Otherwise, a clock that shows 2099 only once would delete today's counts.
    if (fault === null && dayNumber(firstMs) !== dayNumber(row.last_spent_ms))
      this.#counts.deleteOld(Math.min(firstMs, row.last_spent_ms));
    return { is: 'go', slots };
  }

  #debit(row: Account, slots: readonly [Slot, ...Slot[]], slotSpacingMs: number): void {
    const [{ atMs, countedAtMs }] = slots;
    this.#account.write({
      ...row,
      spent_ever: row.spent_ever + slots.length,
      debits: row.debits + slots.length,
      last_spent_ms: atMs,
      next_slot_ms: atMs + slots.length * slotSpacingMs,
      reported_left: row.reported_left === null ? null : Math.max(0, row.reported_left - slots.length),
    });
    this.#counts.add(slots.length, countedAtMs);
  }
}

/** Returns the slot at `firstMs` and further ones up to `lastMs`. They are all counted `laterMs` after the first. */
function slotsFrom(
  firstMs: number,
  bounds: { slotSpacingMs: number; most: number; lastMs: number; laterMs: number },
): [Slot, ...Slot[]] {
  const countedAtMs = firstMs + bounds.laterMs;
  const slots: [Slot, ...Slot[]] = [{ atMs: firstMs, countedAtMs }];
  let atMs = firstMs + bounds.slotSpacingMs;
  for (; slots.length < bounds.most && atMs <= bounds.lastMs; atMs += bounds.slotSpacingMs)
    slots.push({ atMs, countedAtMs });
  return slots;
}

/** Uses a slot up to `LATENESS_MS` after its time, so that the following slots are not delayed. */
function earliestSlotMs({ next_slot_ms: nextMs }: Account, nowMs: number, slotSpacingMs: number): number {
  return slotSpacingMs > 0 && nextMs >= nowMs - LATENESS_MS ? nextMs : nowMs;
}

function dayNumber(ms: number): number {
  return Math.floor(ms / DAY_MS);
}
