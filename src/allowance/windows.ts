import { IANAZone } from 'luxon';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts';
import {
  type WindowLimits,
  type WindowName,
  type WindowRow,
  windowLengthMs,
  windowRow,
  windowRows,
} from './window_table.ts';

export type { WindowName } from './window_table.ts';

/** An account's limits according to its contract, one for each row of the window table. */
export interface Allowance extends WindowLimits {
  /** The maximum number of calls in any 60 seconds; null if there is no limit. */
  readonly perMinute: number | null;
  readonly day: DayStart;
  /** The share of each window (0 to 1) that backfills leave to scheduled work. */
  readonly reserve: number;
  /** The number of calls made before this program started counting. They count against `total`. */
  readonly alreadySpent: number;
  /** The time until which a total must last, in epoch milliseconds; null or absent if there is none. */
  readonly paceUntilMs?: number | null;
}

/** The start of the account's day: a time of day in a time zone, or rolling (a day is any 24 hours). */
export type DayStart =
  | { readonly kind: 'rolling' }
  | { readonly kind: 'fixed'; readonly minuteOfDay: number; readonly timeZone: string };

/** One limit, and the window to which it applies at a given time. */
export interface Window {
  readonly name: WindowName;
  readonly limit: number;
  /** When the window starts, in epoch milliseconds; -Infinity if the window covers all calls. */
  readonly sinceMs: number;
  /**
   * The time of the next reset. Null if the window never resets (lifetime) or each call leaves it separately (rolling).
   */
  readonly resetsAtMs: number | null;
}

/** The windows that apply at `nowMs`, longest first. */
export function windowsAt(allowance: Allowance, nowMs: number): Window[] {
  return limitedRows(allowance).map(({ row, limit }) => ({
    name: row.name,
    limit,
    ...spanAt(row, allowance.day, nowMs),
  }));
}

/** The window with this name at `nowMs`, without a limit. */
export function unlimitedWindowAt(name: WindowName, day: DayStart, nowMs: number): Window {
  return { name, limit: Infinity, ...spanAt(windowRow(name), day, nowMs) };
}

function limitedRows(allowance: Allowance) {
  return windowRows()
    .toSorted((a, b) => (windowLengthMs(a) < windowLengthMs(b) ? 1 : -1))
    .flatMap((row) => {
      const limit = allowance[row.property];
      return limit === null ? [] : [{ row, limit }];
    });
}

/** True if the window covers the account's lifetime and therefore never resets. */
export function isLifetime({ name }: Pick<Window, 'name'>): boolean {
  return windowRow(name).span.kind === 'lifetime';
}

/** True if each call leaves this window at a different time. */
export function isRolling(window: Window): boolean {
  return window.resetsAtMs === null && !isLifetime(window);
}

/** The length of a rolling window, which is how long each call is counted. */
export function rollingLengthMs({ name }: Pick<Window, 'name'>): number {
  return windowLengthMs(windowRow(name));
}

/** The number of calls that a purpose may spend: ⌊limit × (1 − reserve)⌋ for backfills, otherwise `limit`. */
export function limitFor(limit: number, reserve: number, purpose: Purpose): number {
  // Rounded to 12 digits first, because 10 × (1 − 0.9) is 0.9999999999999998 in floating point.
  return purpose === 'backfill' ? Math.floor(Number((limit * (1 - reserve)).toPrecision(12))) : limit;
}

export type Purpose = 'scheduled' | 'backfill';

/**
 * Milliseconds between two slots: (60,000 + 1,000) / perMinute. `perMinute` slots therefore take 61 seconds. Even if
 * calls arrive up to a second late, at most `perMinute` calls arrive in any period of 60 seconds
 * (docs/decisions/0001-rate.md).
 */
export function spacingMs(perMinute: number | null): number {
  return perMinute === null ? 0 : (MINUTE_MS + JITTER_MS) / perMinute;
}

const JITTER_MS = 1000;

interface Span {
  readonly sinceMs: number;
  readonly resetsAtMs: number | null;
}

type FixedDay = Extract<DayStart, { kind: 'fixed' }>;

function spanAt({ span }: WindowRow, day: DayStart, nowMs: number): Span {
  switch (span.kind) {
    case 'lifetime':
      return { sinceMs: Number.NEGATIVE_INFINITY, resetsAtMs: null };
    case 'calendar':
      if (day.kind === 'fixed') return CALENDAR[span.unit](day, nowMs);
      if (!span.canRoll) return CALENDAR[span.unit](UTC_DAY, nowMs);
      return { sinceMs: nowMs - span.lengthMs, resetsAtMs: null };
  }
}

const UTC_DAY: FixedDay = { kind: 'fixed', minuteOfDay: 0, timeZone: 'UTC' };

const CALENDAR = {
  day: (day: FixedDay, nowMs: number) => {
    const { year, month, date } = localDate(day, nowMs);
    return spanBetween(day, nowMs, (step) => Date.UTC(year, month, date + step));
  },
  month: (day: FixedDay, nowMs: number) => {
    const { year, month } = localDate(day, nowMs);
    return spanBetween(day, nowMs, (step) => Date.UTC(year, month + step, 1));
  },
};

/**
 * The span that includes `nowMs`. The upstream's clock and this one can disagree about the start of a day. The span before
 * it therefore lasts until its latest time, and the span after it counts calls from its earliest time. Whichever the
 * upstream means, none of its days exceeds the limit. The search checks two starts before and two after the local date.
 * Near a clock change a local date can begin twice, and a zone that crosses the date line skips a date.
 */
function spanBetween(day: FixedDay, nowMs: number, midnightAt: (step: number) => number): Span {
  const starts = [-2, -1, 0, 1, 2].map((step) => startOf(day, midnightAt(step)));
  return {
    sinceMs: Math.max(...starts.filter((start) => start.latestMs <= nowMs).map((start) => start.earliestMs)),
    resetsAtMs: Math.min(...starts.map((start) => start.latestMs).filter((latestMs) => latestMs > nowMs)),
  };
}

/**
 * The start of a day. `midnightMs` is the day's local midnight, read as UTC. A time of day that is repeated when the
 * clocks change in autumn means either occurrence. One that is skipped in spring means a time before or after the change.
 */
function startOf(
  { minuteOfDay, timeZone }: FixedDay,
  midnightMs: number,
): { earliestMs: number; latestMs: number } {
  const localMs = midnightMs + minuteOfDay * MINUTE_MS;
  const readings = [-DAY_MS, DAY_MS].map((step) => localMs - offsetMs(timeZone, localMs + step));
  const valid = readings.filter((ms) => ms + offsetMs(timeZone, ms) === localMs);
  const possible = valid.length === 0 ? readings : valid;
  return { earliestMs: Math.min(...possible), latestMs: Math.max(...possible) };
}

function localDate({ timeZone }: FixedDay, nowMs: number): { year: number; month: number; date: number } {
  const local = new Date(nowMs + offsetMs(timeZone, nowMs));
  return { year: local.getUTCFullYear(), month: local.getUTCMonth(), date: local.getUTCDate() };
}

function offsetMs(timeZone: string, atMs: number): number {
  return IANAZone.create(timeZone).offset(atMs) * MINUTE_MS;
}

interface Exhaustion {
  /** The date named in the upstream's response; null if it named none. */
  readonly namedMs: number | null;
  readonly windows: readonly Window[];
  /** The number of consecutive earlier responses that reported an exhausted allowance. */
  readonly times: number;
  readonly nowMs: number;
}

/**
 * When the account may call again after the upstream reported an exhausted allowance. If the upstream named a date, the
 * account waits until then, as far as the date is believable. Otherwise it waits until a window resets, or for a day if
 * no window resets. For a rolling window, it waits for the window's length. The wait is never infinite, because one
 * misunderstood response would then block the account permanently. Instead, each repeated report doubles the minimum
 * wait. No wait is longer than `LONGEST_WAIT_MS`.
 */
export function exhaustionEndsMs({ namedMs, windows, times, nowMs }: Exhaustion): number {
  const factor = 2 ** Math.min(times, 10);
  const resets = windows.flatMap((window) => {
    if (isLifetime(window)) return [];
    return window.resetsAtMs ?? nowMs + rollingLengthMs(window) * factor;
  });
  const believedMs = namedMs === null ? null : Math.min(namedMs, believableUntilMs(windows, nowMs));
  const dueMs = believedMs ?? (resets.length > 0 ? Math.min(...resets) : nowMs + DAY_MS * factor);
  const earliestMs = times === 0 ? nowMs : nowMs + (HOUR_MS * factor) / 2;
  return Math.min(Math.max(dueMs, earliestMs), nowMs + LONGEST_WAIT_MS);
}

/**
 * The latest time that a date in a response can mean: a day from now, or the reset of a longer window that the allowance
 * defines. Afterwards one call asks again, so a nonsensical date cannot silence the mirror for weeks.
 */
export function believableUntilMs(windows: readonly Window[], nowMs: number): number {
  const resets = windows
    .filter((window) => !isLifetime(window))
    .map((window) => window.resetsAtMs ?? nowMs + rollingLengthMs(window));
  return Math.max(nowMs + DAY_MS, ...resets);
}

const LONGEST_WAIT_MS = 32 * DAY_MS;
