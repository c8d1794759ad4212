import { IANAZone } from 'luxon';
import {
  type WindowLimits,
  type WindowName,
  type WindowRow,
  windowLengthMs,
  windowRow,
  windowRows,
} from './window_table.ts';

export type { WindowName } from './window_table.ts';

/** The limits of an account, as its terms state them. One limit for each row of the window table. */
export interface Allowance extends WindowLimits {
  /** Calls in any 60 seconds; null: no limit. */
  readonly perMinute: number | null;
  /** The start of a day: a time of day in a time zone, or 24 hours before now. */
  readonly day: DayStart;
  /** Share of each window, from 0 to 1, that backfills leave to the scheduled work. */
  readonly reserve: number;
  /** Calls made before this program counted them; they count against `total`. */
  readonly alreadySpent: number;
}

export type DayStart =
  | { readonly kind: 'rolling' }
  | { readonly kind: 'fixed'; readonly minuteOfDay: number; readonly timeZone: string };

/** One limit at one moment. */
export interface Window {
  readonly name: WindowName;
  /** Calls. */
  readonly limit: number;
  /** Calls from this time on count (epoch milliseconds); -Infinity: all calls count. */
  readonly sinceMs: number;
  /** The time of the next reset; null: never (a lifetime), or call by call (a rolling window). */
  readonly resetsAtMs: number | null;
}

/** The windows that apply at `nowMs`, the longest first. */
export function windowsAt(allowance: Allowance, nowMs: number): Window[] {
  return windowRows()
    .toSorted((a, b) => (windowLengthMs(a) < windowLengthMs(b) ? 1 : -1))
    .flatMap((row) => {
      const limit = allowance[row.property];
      return limit === null ? [] : [{ name: row.name, limit, ...spanAt(row, allowance.day, nowMs) }];
    });
}

/**
 * Returns `windowsAt` for one allowance, with a cache: the fixed windows stay until one of them resets, and the
 * rolling ones move with every call. The ledger needs the windows twice for each call.
 */
export function rememberWindows(allowance: Allowance): (atMs: number) => Window[] {
  let windows: Window[] = [];
  let fromMs = Infinity;
  let untilMs = Infinity;
  return (atMs) => {
    if (atMs < fromMs || atMs >= untilMs) {
      windows = windowsAt(allowance, atMs);
      const fixed = windows.filter(({ resetsAtMs }) => resetsAtMs !== null);
      fromMs = Math.max(Number.NEGATIVE_INFINITY, ...fixed.map(({ sinceMs }) => sinceMs));
      untilMs = Math.min(Infinity, ...fixed.map(({ resetsAtMs }) => resetsAtMs ?? Infinity));
    }
    if (!windows.some(isRolling)) return windows;
    return windows.map((window) =>
      isRolling(window) ? { ...window, sinceMs: atMs - rollingLengthMs(window) } : window,
    );
  };
}

/** Is this the window of an account's whole life, which never resets? */
export function isLifetime({ name }: Pick<Window, 'name'>): boolean {
  return windowRow(name).span.kind === 'lifetime';
}

/** Does each call of this window stop counting at its own time? */
export function isRolling(window: Window): boolean {
  return window.resetsAtMs === null && !isLifetime(window);
}

/** The length of a rolling window: each call counts for as long. */
export function rollingLengthMs({ name }: Pick<Window, 'name'>): number {
  return windowLengthMs(windowRow(name));
}

/** The calls of a limit that a purpose may spend: ⌊limit × (1 − reserve)⌋ for backfills, else the limit. */
export function limitFor(limit: number, reserve: number, purpose: Purpose): number {
  // Rounded to 12 digits first, because 10 × (1 − 0.9) is 0.9999999999999998 in floating point.
  return purpose === 'backfill' ? Math.floor(Number((limit * (1 - reserve)).toPrecision(12))) : limit;
}

export type Purpose = 'scheduled' | 'backfill';

/**
 * Milliseconds between two slots: (60,000 + 1,000) / perMinute. As many slots as `perMinute` take 61 seconds. An
 * arrival that is late by less than a second therefore exceeds no 60-second window (docs/decisions/0001-rate.md).
 */
export function spacingMs(perMinute: number | null): number {
  return perMinute === null ? 0 : (60_000 + JITTER_MS) / perMinute;
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
    case 'rolling':
      return { sinceMs: nowMs - span.lengthMs, resetsAtMs: null };
    case 'calendar':
      if (day.kind === 'fixed') return CALENDAR[span.unit](day, nowMs);
      if (!span.canRoll) return CALENDAR[span.unit](UTC_DAY, nowMs);
      return { sinceMs: nowMs - span.lengthMs, resetsAtMs: null };
  }
}

const UTC_DAY: FixedDay = { kind: 'fixed', minuteOfDay: 0, timeZone: 'UTC' };

/** A month begins with its first day. */
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
 * The span that contains `nowMs`. Its two limits are starts of days, which do not depend on `nowMs`. Spans therefore
 * neither overlap nor leave a hole at changes of the zone's clock. The search covers two starts on either side. Near a
 * change of the clock, a local date can begin twice. A zone that crosses the date line skips a date.
 */
function spanBetween(day: FixedDay, nowMs: number, midnightAt: (step: number) => number): Span {
  const starts = [-2, -1, 0, 1, 2].map((step) => startOf(day, midnightAt(step)));
  return {
    sinceMs: Math.max(...starts.filter((start) => start <= nowMs)),
    resetsAtMs: Math.min(...starts.filter((start) => start > nowMs)),
  };
}

/**
 * The start of the day whose local midnight, read as UTC, is `midnightMs`. If spring skips the time of day, the day
 * starts later by the skipped time. If autumn repeats the time of day, the day starts at its first occurrence.
 */
function startOf({ minuteOfDay, timeZone }: FixedDay, midnightMs: number): number {
  const localMs = midnightMs + minuteOfDay * MINUTE_MS;
  const beforeMs = localMs - offsetMs(timeZone, localMs - DAY_MS);
  const afterMs = localMs - offsetMs(timeZone, localMs + DAY_MS);
  const readings = [beforeMs, afterMs].filter((ms) => ms + offsetMs(timeZone, ms) === localMs);
  return readings.length === 0 ? beforeMs : Math.min(...readings);
}

function localDate({ timeZone }: FixedDay, nowMs: number): { year: number; month: number; date: number } {
  const local = new Date(nowMs + offsetMs(timeZone, nowMs));
  return { year: local.getUTCFullYear(), month: local.getUTCMonth(), date: local.getUTCDate() };
}

function offsetMs(timeZone: string, atMs: number): number {
  return IANAZone.create(timeZone).offset(atMs) * MINUTE_MS;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A call arrives at most this long after its slot, measured by a clock that differs from ours by at most as much. */
export const ARRIVAL_MS = 1000;

/**
 * The first time from `atMs` on that is at least `ARRIVAL_MS` away from every reset. A call must arrive in the window
 * that counts it.
 */
export function clearOfResets(atMs: number, windows: readonly Window[]): number {
  const times = windows.map(({ sinceMs, resetsAtMs }) => {
    if (resetsAtMs === null) return atMs;
    return atMs > resetsAtMs - ARRIVAL_MS ? resetsAtMs + ARRIVAL_MS : sinceMs + ARRIVAL_MS;
  });
  return Math.max(atMs, ...times);
}

export interface Exhaustion {
  /** The date that the upstream named, or null. */
  readonly namedMs: number | null;
  readonly windows: readonly Window[];
  /** The number of earlier responses of this kind, without another response between them. */
  readonly times: number;
  readonly nowMs: number;
}

/**
 * The time until which the ledger believes the upstream that the allowance is exhausted. It is the first that applies:
 * the date that the upstream named; the next reset of a window (a rolling window resets after its length); a day.
 * The wait is never infinite, because one wrong reading of a response would then block the account permanently.
 * Every repetition doubles the shortest wait instead, up to `LONGEST_WAIT_MS`.
 */
export function exhaustionEndsMs({ namedMs, windows, times, nowMs }: Exhaustion): number {
  const factor = 2 ** Math.min(times, 10);
  const resets = windows.flatMap((window) => {
    if (isLifetime(window)) return [];
    return window.resetsAtMs ?? nowMs + rollingLengthMs(window) * factor;
  });
  const dueMs = namedMs ?? (resets.length > 0 ? Math.min(...resets) : nowMs + DAY_MS * factor);
  const earliestMs = times === 0 ? nowMs : nowMs + (HOUR_MS * factor) / 2;
  return Math.min(Math.max(dueMs, earliestMs), nowMs + LONGEST_WAIT_MS);
}

const HOUR_MS = 3_600_000;
const LONGEST_WAIT_MS = 32 * DAY_MS;
