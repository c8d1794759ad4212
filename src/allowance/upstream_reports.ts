import { DAY_MS, HOUR_MS, SECOND_MS } from '../durations.ts';
import type { Account } from './account.ts';
import { isRolling, rollingLengthMs, type Window, type WindowName } from './windows.ts';

/**
 * Limits that the upstream reported for an account. They only tighten the configured limits. All functions are pure.
 */

/** A quota that a response reports. At least one of `left` and `limit` is a number. */
export interface ReportedQuota {
  /** Null if the response does not name the window. */
  readonly window: WindowName | null;
  /** The remaining quota; null if it is not reported. */
  readonly left: number | null;
  /** The window's limit in calls; null if it is not reported. */
  readonly limit: number | null;
  readonly resetsAtMs: number | null;
}

export interface ReportedLeft {
  readonly left: number;
  /** The time at which the report expires. */
  readonly untilMs: number;
}

/** The quotas that one response reports, and the call that returned it. */
export interface QuotaReport {
  readonly quotas: readonly ReportedQuota[];
  readonly sentAtMs: number;
  /** Units spent on calls that have no response yet. The upstream may not have counted these calls. */
  readonly inFlight: number;
}

/**
 * Returns the smallest remaining quota in a report, or null if it need not be stored. Responses can arrive in a
 * different order from their calls, so a report from an earlier call can only lower the quota.
 */
export function smallestReport(
  { quotas, sentAtMs, inFlight }: QuotaReport,
  { row, nowMs, windowOf, believableUntilMs }: ReportContext,
): (ReportedLeft & { readonly atMs: number }) | null {
  const reports = quotas.map(({ window: name, left, limit, resetsAtMs }): ReportedLeft => {
    const window = name === null ? null : windowOf(name, row, nowMs);
    const byLimit = limit === null || window === null ? Infinity : limit - window.spent;
    const calls = Math.min(left === null ? Infinity : left - inFlight, byLimit);
    const namedMs =
      resetsAtMs === null || name !== null ? resetsAtMs : Math.min(resetsAtMs, believableUntilMs);
    const endMs = namedMs ?? (window === null ? nowMs + DAY_MS : endOf(window, nowMs));
    return { left: Math.max(0, calls), untilMs: Math.min(endMs, nowMs + LONGEST_MS) };
  });
  const [smallest] = reports.sort((a, b) => a.left - b.left);
  if (smallest === undefined || smallest.left === Infinity) return null;
  const stored = currentReport(row, nowMs);
  const isOutdated = stored !== null && sentAtMs < row.reported_at_ms && smallest.left >= stored.left;
  return isOutdated ? null : { ...smallest, atMs: sentAtMs };
}

interface ReportContext {
  readonly row: Account;
  readonly nowMs: number;
  /** The latest reset that a report without a window can mean. */
  readonly believableUntilMs: number;
  windowOf(name: WindowName, row: Account, nowMs: number): Window & { readonly spent: number };
}

function endOf(window: Window, nowMs: number): number {
  return window.resetsAtMs ?? (isRolling(window) ? nowMs + rollingLengthMs(window) : nowMs + LONGEST_MS);
}

/** Returns the account's report if it is still valid, or null if there is none or the clock has been set back since. */
export function currentReport(
  { reported_left: left, reported_at_ms: atMs, reported_until_ms: untilMs }: Account,
  nowMs: number,
): ReportedLeft | null {
  return left === null || nowMs >= untilMs || nowMs < atMs - CLOCK_STEP_MS ? null : { left, untilMs };
}

/**
 * Returns the shortest time between two calls: the configured one, or a longer one that the upstream reported. A report
 * is valid for a day, so that a misunderstood message does not slow the account permanently.
 */
export function currentSpacingMs(
  { reported_spacing_ms: spacingMs, spaced_at_ms: atMs }: Account,
  configuredMs: number,
  nowMs: number,
): number {
  const isValid = nowMs < atMs + DAY_MS && nowMs >= atMs - CLOCK_STEP_MS;
  return isValid ? Math.max(configuredMs, Math.min(spacingMs, LONGEST_SPACING_MS)) : configuredMs;
}

const CLOCK_STEP_MS = 5_000;
const LONGEST_MS = 32 * DAY_MS;
const LONGEST_SPACING_MS = HOUR_MS + SECOND_MS;
