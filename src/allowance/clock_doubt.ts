import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts';
import type { Account } from './account.ts';

/**
 * Handles a clock that was set back (docs/decisions/0011-clock-set-back.md). All functions are pure.
 *
 * If the clock was set back, it was wrong before or it is wrong now. Until this is known, the ledger uses two times for
 * each call. It checks the limits at the earliest possible time, and counts the call at the latest possible time. A
 * window counts all calls since its start, so its limit is respected in both cases.
 */
export interface ClockReading {
  /** The account after the clock was read; the same object if nothing changed. */
  readonly account: Account;
  /**
   * All calls so far were made by this time. Calls that are counted at later times are moved to it. Null if no such
   * time is known.
   */
  readonly madeByMs: number | null;
}

/** Updates the account with the current clock time. */
export function readClock(account: Account, nowMs: number, slotSpacingMs: number): ClockReading {
  const latestMs = latestTime(account);
  const running =
    lastEventTime(account) > nowMs + CLOCK_STEP_MS ? moveEventsBack(account, nowMs, slotSpacingMs) : account;
  if (nowMs < latestMs - CLOCK_STEP_MS) return readWhileBehind(running, latestMs, nowMs);
  if (account.set_back_at_ms !== null) return readCaughtUp(running, account.set_back_at_ms, latestMs, nowMs);
  if (account.late_ms > 0 && nowMs >= account.doubted_until_ms)
    return withoutDates({ ...running, late_ms: 0 });
  if (nowMs > latestMs + STORED_EVERY_MS) return withoutDates({ ...running, latest_ms: nowMs });
  return withoutDates(running);
}

/**
 * Updates the account when the upstream's clock agrees with ours. All calls must then have been made before `nowMs`.
 */
export function confirmClock(account: Account, nowMs: number, slotSpacingMs: number): ClockReading {
  const running = lastEventTime(account) > nowMs ? moveEventsBack(account, nowMs, slotSpacingMs) : account;
  const believed = { ...running, latest_ms: nowMs, set_back_at_ms: null, late_ms: 0, doubted_until_ms: 0 };
  return { account: believed, madeByMs: nowMs };
}

/** The latest real time at which a call can have been made while the clock showed `atMs`. */
export function latestDateMs(account: Account, atMs: number): number {
  return account.set_back_at_ms === null ? atMs + account.late_ms : UNDATED_MS;
}

/** The time by which all undated calls get a date; Infinity if no call is undated. */
export function allDatedByMs(account: Account): number {
  const { set_back_at_ms: setBackAtMs } = account;
  if (setBackAtMs === null) return Infinity;
  return Math.min(latestTime(account), setBackAtMs + TRUSTED_AFTER_MS) + LONGEST_LATE_MS;
}

export type ClockDoubt =
  /** The clock was set back and has not yet caught up with `latestMs`. */
  | { readonly is: 'behind'; readonly latestMs: number; readonly untilMs: number }
  /** The clock has caught up, but may still be behind real time by up to `lateMs`. */
  | { readonly is: 'late'; readonly lateMs: number; readonly untilMs: number }
  /** The clock jumped forward and may be ahead of real time by up to `aheadMs`. */
  | { readonly is: 'ahead'; readonly aheadMs: number };

/** Returns why the clock is in doubt at `nowMs`, or null if it is trusted. */
export function clockDoubtOf(account: Account, nowMs: number): ClockDoubt | null {
  const {
    set_back_at_ms: setBackAtMs,
    late_ms: lateMs,
    doubted_until_ms: untilMs,
    ahead_ms: aheadMs,
  } = account;
  if (aheadMs > 0) return { is: 'ahead', aheadMs };
  if (setBackAtMs !== null) {
    const latestMs = latestTime(account);
    return { is: 'behind', latestMs, untilMs: Math.min(latestMs, setBackAtMs + TRUSTED_AFTER_MS) };
  }
  return lateMs > 0 && nowMs < untilMs ? { is: 'late', lateMs, untilMs } : null;
}

/**
 * Handles a clock that shows an earlier time than before. One of the two times is wrong, so calls stay undated until
 * this is resolved. The program trusts the clock again after `TRUSTED_AFTER_MS`. Otherwise, a clock that once showed
 * 2099 would block the account until 2099.
 */
function readWhileBehind(account: Account, latestMs: number, nowMs: number): ClockReading {
  const setBackAtMs = Math.min(account.set_back_at_ms ?? nowMs, nowMs);
  if (nowMs >= setBackAtMs + TRUSTED_AFTER_MS)
    return { account: { ...account, latest_ms: nowMs, set_back_at_ms: null, late_ms: 0 }, madeByMs: nowMs };
  if (account.set_back_at_ms === setBackAtMs) return withoutDates(account);
  return withoutDates({ ...account, latest_ms: latestMs, set_back_at_ms: setBackAtMs });
}

/**
 * Handles a clock that has caught up with its old time. Either someone corrected it, or it simply kept running and is
 * still behind. In the second case, it is behind by the observed step plus the time until the step was noticed (at most
 * `UNSEEN_MS`). If the step was longer than `TRUSTED_AFTER_MS`, the clock cannot have caught up by running, so someone
 * corrected it.
 */
function readCaughtUp(account: Account, setBackAtMs: number, latestMs: number, nowMs: number): ClockReading {
  const backMs = latestMs - setBackAtMs;
  const lateMs = Math.min(backMs + UNSEEN_MS, LONGEST_LATE_MS);
  const late_ms = Math.max(account.late_ms, backMs > TRUSTED_AFTER_MS ? 0 : lateMs);
  return {
    account: {
      ...account,
      latest_ms: Math.max(latestMs, nowMs),
      set_back_at_ms: null,
      late_ms,
      doubted_until_ms: nowMs + DOUBT_MS,
    },
    madeByMs: nowMs + late_ms,
  };
}

/**
 * Moves slots, pauses and exhaustions that start in the future, so that they start now. Their durations stay the same,
 * so none of them lasts too long.
 */
function moveEventsBack(account: Account, nowMs: number, slotSpacingMs: number): Account {
  const { paused_at_ms, paused_until_ms, exhausted_at_ms, exhausted_until_ms } = account;
  const isPauseAhead = paused_at_ms > nowMs;
  const isExhaustionAhead = exhausted_at_ms !== null && exhausted_at_ms > nowMs;
  return {
    ...account,
    last_spent_ms: Math.min(account.last_spent_ms, nowMs),
    next_slot_ms: Math.min(account.next_slot_ms, nowMs + slotSpacingMs),
    paused_at_ms: Math.min(paused_at_ms, nowMs),
    paused_until_ms: isPauseAhead ? nowMs + (paused_until_ms - paused_at_ms) : paused_until_ms,
    exhausted_at_ms: isExhaustionAhead ? nowMs : exhausted_at_ms,
    exhausted_until_ms:
      isExhaustionAhead && exhausted_until_ms !== null
        ? nowMs + (exhausted_until_ms - exhausted_at_ms)
        : exhausted_until_ms,
  };
}

function withoutDates(account: Account): ClockReading {
  return { account, madeByMs: null };
}

/** The latest time that the clock has shown. */
function latestTime(account: Account): number {
  return Math.max(account.latest_ms, lastEventTime(account));
}

/** The time of the last call, pause or exhaustion. */
function lastEventTime({ last_spent_ms, paused_at_ms, exhausted_at_ms }: Account): number {
  return Math.max(last_spent_ms, paused_at_ms, exhausted_at_ms ?? 0);
}

const CLOCK_STEP_MS = 5000;
// While no calls are made, the clock time is stored at this interval.
const STORED_EVERY_MS = MINUTE_MS;
const TRUSTED_AFTER_MS = 2 * DAY_MS;
// The longest time until a step in the clock is noticed. A process that is waiting for the allowance reads the clock
// more often than this.
const UNSEEN_MS = 2 * HOUR_MS;
const LONGEST_LATE_MS = DAY_MS;
// After the clock has caught up, it stays in doubt for this long, because someone may still correct it.
const DOUBT_MS = 7 * DAY_MS;
/** The latest time that a Date can represent. Undated calls are counted at this time, and therefore in every window. */
const UNDATED_MS = 8_640_000_000_000_000;
