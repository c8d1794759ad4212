import type { BootTime } from '../clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts';
import type { Account } from './account.ts';

/**
 * The rule for wrong clocks (docs/decisions/0025-clock.md). Allowance windows follow the upstream's time, so the local
 * clock is compared with the `Date` of every response. All functions are pure.
 */
export type ClockFault =
  /** The clock shows an earlier time than when the last call was made. */
  | { readonly is: 'behind'; readonly byMs: number; readonly latestMs: number }
  /** The clock has advanced by more than the time since the machine started, and no response has confirmed it yet. */
  | { readonly is: 'ahead'; readonly byMs: number };

/** The clock may differ by this much from the upstream's clock or from earlier times. */
export const CLOCK_TOLERANCE_MS = 2 * MINUTE_MS;

/** Returns the fault if the clock is behind the account's latest time by more than the tolerance, and null otherwise. */
export function behindFault(account: Account, nowMs: number): ClockFault | null {
  const latestMs = latestTimeMs(account);
  const byMs = latestMs - nowMs;
  return byMs > CLOCK_TOLERANCE_MS ? { is: 'behind', byMs, latestMs } : null;
}

/** Returns the fault if the clock jumped ahead since the machine started, and null otherwise. */
export function aheadFault(account: Account, nowMs: number, boot: BootTime | null): ClockFault | null {
  if (boot === null || account.boot_id !== boot.bootId || account.booted_ms === null) return null;
  const byMs = nowMs - boot.uptimeMs - account.booted_ms;
  return byMs > CLOCK_TOLERANCE_MS ? { is: 'ahead', byMs } : null;
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
 * Corrects the account when the real time is known to be `nowMs`. Pauses and exhaustions that start in the future start
 * now, with the same duration.
 */
export function correctedAccount(
  account: Account,
  nowMs: number,
  { boot, slotSpacingMs }: { readonly boot: BootTime | null; readonly slotSpacingMs: number },
): Account {
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
    boot_id: boot?.bootId ?? null,
    booted_ms: boot === null ? null : nowMs - boot.uptimeMs,
  };
}

/** Describes a fault and its remedy in two sentences. */
export function clockFaultText(fault: ClockFault): string {
  const by = spanText(fault.byMs);
  const what =
    fault.is === 'behind'
      ? `this machine's clock is ${by} behind the last call (${new Date(fault.latestMs).toISOString()})`
      : `this machine's clock has jumped ahead by ${by}, and the allowance was used up before`;
  return `${what}. ${CLOCK_REMEDY}`;
}

export const CLOCK_REMEDY =
  "Set the clock. If it is right, run `registry-mirror doctor --online`, which compares it with the upstream's clock";

/** Writes a span of time roughly, such as "3 hours". */
export function spanText(ms: number): string {
  const [unitMs, unit] =
    ms < 2 * HOUR_MS ? [MINUTE_MS, 'minutes'] : ms < 2 * DAY_MS ? [HOUR_MS, 'hours'] : [DAY_MS, 'days'];
  return `${Math.round(ms / unitMs)} ${unit}`;
}
