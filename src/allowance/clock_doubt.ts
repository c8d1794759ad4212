import type { Account } from './account.ts';

/**
 * A clock that goes back was wrong before or is wrong now, and does not say which. Until that is known, calls are
 * checked at the earliest moment at which they may be made, and counted at the latest: a window that counts all
 * calls since it began then holds whatever the truth is (docs/decisions/0011-clock-set-back.md). Pure.
 */
export interface Look {
  /** The very same object where nothing changed. */
  readonly account: Account;
  /** All calls were made by then at the latest: what is counted later is counted there from here on. Null: nothing is known anew. */
  readonly madeByMs: number | null;
}

/** What the clock's showing this time means for the account. */
export function lookAtClock(account: Account, nowMs: number, spacing: number): Look {
  const latestMs = latestMoment(account);
  const running = lastMoment(account) > nowMs + CLOCK_STEP_MS ? onStepBack(account, nowMs, spacing) : account;
  if (nowMs < latestMs - CLOCK_STEP_MS) return whileBehind(running, latestMs, nowMs);
  if (account.set_back_at_ms !== null) return onCaughtUp(running, account.set_back_at_ms, latestMs, nowMs);
  if (account.late_ms > 0 && nowMs >= account.doubted_until_ms)
    return withoutDates({ ...running, late_ms: 0 });
  if (nowMs > latestMs + SEEN_EVERY_MS) return withoutDates({ ...running, latest_ms: nowMs });
  return withoutDates(running);
}

/** The upstream's clock shows the same: so all calls were made by now, and no doubt is left. */
export function believeClock(account: Account, nowMs: number, spacing: number): Look {
  const running = lastMoment(account) > nowMs ? onStepBack(account, nowMs, spacing) : account;
  const believed = { ...running, latest_ms: nowMs, set_back_at_ms: null, late_ms: 0, doubted_until_ms: 0 };
  return { account: believed, madeByMs: nowMs };
}

/** The latest moment at which a call may be made that the clock dates to `atMs`. */
export function latestDateMs(account: Account, atMs: number): number {
  return account.set_back_at_ms === null ? atMs + account.late_ms : UNDATED_MS;
}

/** When all calls that have no date yet will have got one. */
export function allDatedByMs(account: Account): number {
  const { set_back_at_ms: setBackAtMs } = account;
  if (setBackAtMs === null) return Infinity;
  return Math.min(latestMoment(account), setBackAtMs + PATIENCE_MS) + LONGEST_LATE_MS;
}

export type ClockDoubt =
  /** The clock was set back, and has not come again to the time that it showed before. */
  | { readonly is: 'behind'; readonly latestMs: number; readonly untilMs: number }
  /** It has; but it may still be late by so much. */
  | { readonly is: 'late'; readonly lateMs: number; readonly untilMs: number };

export function clockDoubtOf(account: Account, nowMs: number): ClockDoubt | null {
  const { set_back_at_ms: setBackAtMs, late_ms: lateMs, doubted_until_ms: untilMs } = account;
  if (setBackAtMs !== null) {
    const latestMs = latestMoment(account);
    return { is: 'behind', latestMs, untilMs: Math.min(latestMs, setBackAtMs + PATIENCE_MS) };
  }
  return lateMs > 0 && nowMs < untilMs ? { is: 'late', lateMs, untilMs } : null;
}

/**
 * Either the time before was wrong, or this one is: the calls made now get no date until that is known. A clock that
 * runs on for PATIENCE_MS without coming to the old time is believed: one that once showed 2099 must not shut the
 * account until then.
 */
function whileBehind(account: Account, latestMs: number, nowMs: number): Look {
  const setBackAtMs = Math.min(account.set_back_at_ms ?? nowMs, nowMs);
  if (nowMs >= setBackAtMs + PATIENCE_MS)
    return { account: { ...account, latest_ms: nowMs, set_back_at_ms: null, late_ms: 0 }, madeByMs: nowMs };
  if (account.set_back_at_ms === setBackAtMs) return withoutDates(account);
  return withoutDates({ ...account, latest_ms: latestMs, set_back_at_ms: setBackAtMs });
}

/**
 * The clock is where it was before: put right, or simply run on and as late as ever. That is as far as it was seen
 * to go back, and what had passed since it was looked at before that. A clock that was further back than PATIENCE_MS has not run on to here: it was put right.
 */
function onCaughtUp(account: Account, setBackAtMs: number, latestMs: number, nowMs: number): Look {
  const backMs = latestMs - setBackAtMs;
  const lateMs = Math.min(backMs + UNSEEN_MS, LONGEST_LATE_MS);
  const late_ms = Math.max(account.late_ms, backMs > PATIENCE_MS ? 0 : lateMs);
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

/** What the old time had put into the future happened now, and lasts as long as it would have: nothing freezes. */
function onStepBack(account: Account, nowMs: number, spacing: number): Account {
  const { paused_at_ms, paused_until_ms, exhausted_at_ms, exhausted_until_ms } = account;
  const isPauseAhead = paused_at_ms > nowMs;
  const isExhaustionAhead = exhausted_at_ms !== null && exhausted_at_ms > nowMs;
  return {
    ...account,
    last_spent_ms: Math.min(account.last_spent_ms, nowMs),
    next_slot_ms: Math.min(account.next_slot_ms, nowMs + spacing),
    paused_at_ms: Math.min(paused_at_ms, nowMs),
    paused_until_ms: isPauseAhead ? nowMs + (paused_until_ms - paused_at_ms) : paused_until_ms,
    exhausted_at_ms: isExhaustionAhead ? nowMs : exhausted_at_ms,
    exhausted_until_ms:
      isExhaustionAhead && exhausted_until_ms !== null
        ? nowMs + (exhausted_until_ms - exhausted_at_ms)
        : exhausted_until_ms,
  };
}

function withoutDates(account: Account): Look {
  return { account, madeByMs: null };
}

/** The latest moment that the clock ever showed. */
function latestMoment(account: Account): number {
  return Math.max(account.latest_ms, lastMoment(account));
}

/** The moment that it showed last, when something happened. */
function lastMoment({ last_spent_ms, paused_at_ms, exhausted_at_ms }: Account): number {
  return Math.max(last_spent_ms, paused_at_ms, exhausted_at_ms ?? 0);
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const CLOCK_STEP_MS = 5000;
// A look without a call is noted, but not every one.
const SEEN_EVERY_MS = MINUTE_MS;
const PATIENCE_MS = 2 * DAY_MS;
// Whoever waits for the allowance looks more often.
const UNSEEN_MS = 2 * HOUR_MS;
const LONGEST_LATE_MS = DAY_MS;
// So long a clock that came to its old time may still be put right.
const DOUBT_MS = 7 * DAY_MS;
/** Later than every window: counted in each until its date is known. The latest moment that a Date can be. */
const UNDATED_MS = 8_640_000_000_000_000;
