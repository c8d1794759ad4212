import type { BootTime } from '../clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../durations.ts';
import type { Account } from './account.ts';

/**
 * The rule for wrong clocks (docs/decisions/0025-clock.md). Allowance windows follow the upstream's time, which this
 * machine knows only approximately. All functions are pure.
 */
export type ClockFault =
  /** The clock shows an earlier time than when the last call was made. */
  | { readonly is: 'behind'; readonly byMs: number; readonly latestMs: number }
  /** The clock differs from the time that has passed since the machine started, and no response has confirmed it yet. */
  | { readonly is: 'ahead' | 'set_back'; readonly byMs: number };

/** The clock may differ by this much from the upstream's clock or from earlier times. */
export const CLOCK_TOLERANCE_MS = 2 * MINUTE_MS;

/** A call arrives at the upstream within two seconds of the time for which its slot was taken. */
const ARRIVAL_MS = 2 * SECOND_MS;

/**
 * How far the real time of a call can be from the time that the clock shows for it. A call is permitted only if every
 * window permits it at the earliest possible time, and it is counted at the latest possible time. A window counts all
 * calls later than its start. Each call is therefore counted in every window in which the upstream may count it.
 */
interface Uncertainty {
  readonly earlierMs: number;
  readonly laterMs: number;
  /** The reason if the clock is in doubt, which makes the uncertainty larger; null otherwise. */
  readonly fault: ClockFault | null;
}

/** The uncertainty of a clock that the user or a response has confirmed. */
export const CONFIRMED: Uncertainty = {
  earlierMs: CLOCK_TOLERANCE_MS + ARRIVAL_MS,
  laterMs: CLOCK_TOLERANCE_MS + ARRIVAL_MS,
  fault: null,
};

/** Returns the uncertainty of the clock, which must agree with the time that has passed since the machine started. */
export function uncertaintyOf(account: Account, nowMs: number, boot: BootTime | null): Uncertainty {
  if (boot === null || account.booted_ms === null || account.boot_id !== boot.bootId) return CONFIRMED;
  const stepMs = nowMs - boot.uptimeMs - account.booted_ms;
  const byMs = Math.abs(stepMs);
  if (byMs <= CLOCK_TOLERANCE_MS) return CONFIRMED;
  return stepMs > 0
    ? { ...CONFIRMED, earlierMs: CONFIRMED.earlierMs + byMs, fault: { is: 'ahead', byMs } }
    : { ...CONFIRMED, laterMs: CONFIRMED.laterMs + byMs, fault: { is: 'set_back', byMs } };
}

/** Returns the fault if the clock is behind the account's latest time by more than the tolerance, and null otherwise. */
export function behindFault(account: Account, nowMs: number): ClockFault | null {
  const latestMs = latestTimeMs(account);
  const byMs = latestMs - nowMs;
  return byMs > CLOCK_TOLERANCE_MS ? { is: 'behind', byMs, latestMs } : null;
}

/** The time of the last call, pause or exhaustion. */
export function latestTimeMs({ last_spent_ms, paused_at_ms, exhausted_at_ms }: Account): number {
  return Math.max(last_spent_ms, paused_at_ms, exhausted_at_ms ?? 0);
}

/** Records when the machine started according to the clock, unless it is already known for this boot. */
export function withBoot(account: Account, nowMs: number, boot: BootTime | null): Account {
  if (boot === null || account.boot_id === boot.bootId) return account;
  return { ...account, boot_id: boot.bootId, booted_ms: nowMs - boot.uptimeMs };
}

/**
 * Corrects the account when a right clock shows `nowMs`. Pauses and exhaustions that start in the future start now, with
 * the same duration.
 */
export function correctedAccount(account: Account, nowMs: number, slotSpacingMs: number): Account {
  const { paused_at_ms, paused_until_ms, exhausted_at_ms, exhausted_until_ms } = account;
  const pauseShiftMs = Math.max(0, paused_at_ms - nowMs);
  const exhaustionShiftMs = Math.max(0, (exhausted_at_ms ?? nowMs) - nowMs);
  return {
    ...account,
    last_spent_ms: Math.min(account.last_spent_ms, nowMs),
    next_slot_ms: Math.min(account.next_slot_ms, nowMs + slotSpacingMs),
    paused_at_ms: paused_at_ms - pauseShiftMs,
    paused_until_ms: paused_until_ms - pauseShiftMs,
    exhausted_at_ms: exhausted_at_ms === null ? null : exhausted_at_ms - exhaustionShiftMs,
    exhausted_until_ms: exhausted_until_ms === null ? null : exhausted_until_ms - exhaustionShiftMs,
  };
}

/** Describes a fault in one sentence without a full stop. `CLOCK_REMEDY` is the remedy. */
export function clockFaultText(fault: ClockFault): string {
  const by = spanText(fault.byMs);
  if (fault.is === 'behind') {
    const lastCall = new Date(fault.latestMs).toISOString();
    return `this machine's clock is ${by} behind the last call (${lastCall}), so no call is sent`;
  }
  const step = fault.is === 'ahead' ? 'has jumped ahead' : 'was set back';
  return `this machine's clock ${step} by ${by}, so a call is sent only if the allowance permits it at both possible times`;
}

export const CLOCK_REMEDY =
  "Set the clock. If it is right, run `registry-mirror doctor --online`, which compares it with the upstream's clock";

/** Writes a span of time roughly, such as "3 hours". */
export function spanText(ms: number): string {
  const [unitMs, unit] =
    ms < 2 * HOUR_MS ? [MINUTE_MS, 'minutes'] : ms < 2 * DAY_MS ? [HOUR_MS, 'hours'] : [DAY_MS, 'days'];
  return `${Math.round(ms / unitMs)} ${unit}`;
}
