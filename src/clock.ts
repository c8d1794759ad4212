import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { setTimeout } from 'node:timers/promises';

/**
 * The clock is an argument, so that tests can replace it. Times are epoch milliseconds, so that processes can compare
 * them.
 */
export interface Clock {
  now(): number;
  /** Returns the time since the machine booted, or null if the machine does not report it. */
  boot?(): BootTime | null;
  /** Resolves after `delayMs`, or as soon as the signal aborts. Never rejects. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** A time that is not affected when the clock is set. It includes the time during which the machine slept. */
export interface BootTime {
  /** Identifies the boot. All processes since the same boot can compare their `uptimeMs`. */
  readonly bootId: string;
  readonly uptimeMs: number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  boot: openBootTime(),
  sleep: (delayMs, signal) =>
    setTimeout(Math.min(Math.max(delayMs, 0), MAX_TIMEOUT_MS), undefined, { signal }).catch(() => {
      // The signal has aborted.
    }),
};

function openBootTime(): () => BootTime | null {
  const bootId = readBootId();
  return () => (bootId === null ? null : { bootId, uptimeMs: uptime() * 1000 });
}

/** Only Linux identifies its boots. */
function readBootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}

// With a longer delay, `setTimeout` would fire immediately.
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The format of every time in the warehouse: UTC, ISO 8601 with milliseconds. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Formats a time for messages, independently of the machine's time zone: `27 Nov 2026, 07:34 UTC`. */
export function utcMinute(epochMs: number): string {
  return new Date(epochMs).toUTCString().replace(/^.{5}0?(.+) (\d\d:\d\d):.*/, '$1, $2 UTC');
}

/** A smaller skew is ignored, because the `Date` header is too coarse to measure it. */
export const TOLERATED_SKEW_MS = 2500;
