import type { BootTime } from '../clock.ts';
import type { Account } from './account.ts';

/**
 * Handles a clock that jumps forward (docs/decisions/0023-clock-ahead.md). All functions are pure.
 *
 * The time since the machine booted shows how much time has really passed. If the clock has advanced further, either it
 * was behind before or it is ahead now. Until this is known, the ledger uses steady time: the clock's time minus
 * `ahead_ms`, the duration of the jump. All times in the ledger are steady times.
 */
export interface SteadyReading {
  /** The account after the clock was read; the same object if nothing changed. */
  readonly account: Account;
  /** The steady time. */
  readonly nowMs: number;
  /** All calls since `sinceMs` are dated `atMs`, the latest possible time; null if no call's date changes. */
  readonly redated: { readonly sinceMs: number; readonly atMs: number } | null;
}

/** Converts the clock's time to steady time. `boot` is null if the machine does not report when it booted. */
export function readSteadyTime(account: Account, clockMs: number, boot: BootTime | null): SteadyReading {
  if (boot === null) return { account, nowMs: clockMs - account.ahead_ms, redated: null };
  if (account.boot_id !== boot.bootId) return trustClock(account, clockMs, boot);
  const aheadMs = aheadBy(account, clockMs - boot.uptimeMs);
  if (Math.abs(aheadMs - account.ahead_ms) < NOISE_MS)
    return { account, nowMs: clockMs - account.ahead_ms, redated: null };
  const nowMs = clockMs - aheadMs;
  const ahead_since_ms = account.ahead_ms > 0 ? account.ahead_since_ms : nowMs;
  return { account: { ...account, ahead_ms: aheadMs, ahead_since_ms }, nowMs, redated: null };
}

/**
 * Ends the doubt because the clock is right. From then on, steady time is clock time, and all stored times are shifted
 * accordingly.
 */
export function trustClock(account: Account, clockMs: number, boot: BootTime | null): SteadyReading {
  const { ahead_ms: aheadMs, ahead_since_ms: sinceMs } = account;
  const trusted = {
    ...(aheadMs > 0 ? movedBy(account, aheadMs) : account),
    boot_id: boot?.bootId ?? null,
    booted_ms: boot === null ? null : clockMs - boot.uptimeMs,
    ahead_ms: 0,
  };
  return { account: trusted, nowMs: clockMs, redated: aheadMs > 0 ? { sinceMs, atMs: clockMs } : null };
}

/**
 * Accepts a clock that was set back and is trusted again. Otherwise, a later jump to the old time would not be noticed.
 */
export function acceptSetBack(account: Account, clockMs: number, boot: BootTime | null): Account {
  if (boot === null || account.set_back_at_ms !== null) return account;
  const bootedMs = clockMs - boot.uptimeMs;
  return bootedMs < (account.booted_ms ?? bootedMs) - CLOCK_STEP_MS
    ? { ...account, booted_ms: bootedMs }
    : account;
}

function aheadBy({ booted_ms }: Account, bootedMs: number): number {
  const aheadMs = bootedMs - (booted_ms ?? bootedMs);
  return aheadMs > CLOCK_STEP_MS ? aheadMs : 0;
}

function movedBy(account: Account, ms: number): Account {
  const moved = (time: number | null) => (time === null ? null : time + ms);
  return {
    ...account,
    last_spent_ms: account.last_spent_ms + ms,
    next_slot_ms: account.next_slot_ms + ms,
    paused_at_ms: account.paused_at_ms + ms,
    paused_until_ms: account.paused_until_ms + ms,
    exhausted_at_ms: moved(account.exhausted_at_ms),
    exhausted_until_ms: moved(account.exhausted_until_ms),
    latest_ms: account.latest_ms + ms,
    set_back_at_ms: moved(account.set_back_at_ms),
    doubted_until_ms: account.doubted_until_ms + ms,
  };
}

const CLOCK_STEP_MS = 5000;
// The two clocks are not read at the same instant, and the time since boot has a resolution of up to a second.
const NOISE_MS = 1500;
