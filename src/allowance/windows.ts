import { DateTime } from 'luxon';

/**
 * The windows of an allowance, pure: which spans of time are limited to how many calls, and what a spend
 * at a moment means for each of them.
 */
export interface Allowance {
  /** Requests a minute; null: no limit on the rate. */
  readonly perMinute: number | null;
  readonly total: number | null;
  readonly perDay: number | null;
  readonly perMonth: number | null;
  /** When a day begins: at a time of day in a time zone, or 24 hours before now. */
  readonly day: DayStart;
  /** Share of each window, from 0 to 1, that backfills leave to the scheduled work. */
  readonly reserve: number;
  /** Calls made before this tool kept count; they belong to `total`. */
  readonly alreadySpent: number;
}

export type DayStart =
  | { readonly kind: 'rolling' }
  | { readonly kind: 'fixed'; readonly minuteOfDay: number; readonly timeZone: string };

export type WindowName = 'total' | 'day' | 'month';

export interface Window {
  readonly name: WindowName;
  readonly limit: number;
  /** Calls since this moment count; -Infinity: since ever. */
  readonly sinceMs: number;
  /** When it opens again; null: never (total), or call by call (a rolling day). */
  readonly resetsAtMs: number | null;
}

/** The windows that hold at `nowMs`, the one that lasts longest first. */
export function windowsAt(allowance: Allowance, nowMs: number): Window[] {
  const windows: Window[] = [];
  if (allowance.total !== null)
    windows.push({
      name: 'total',
      limit: allowance.total,
      sinceMs: Number.NEGATIVE_INFINITY,
      resetsAtMs: null,
    });
  if (allowance.perMonth !== null)
    windows.push({ name: 'month', limit: allowance.perMonth, ...monthAt(allowance.day, nowMs) });
  if (allowance.perDay !== null)
    windows.push({ name: 'day', limit: allowance.perDay, ...dayAt(allowance.day, nowMs) });
  return windows;
}

/** How much of a limit a purpose may use: backfills leave the reserve untouched. */
export function limitFor(limit: number, reserve: number, purpose: Purpose): number {
  return purpose === 'backfill' ? Math.floor(limit * (1 - reserve)) : limit;
}

export type Purpose = 'scheduled' | 'backfill';

/**
 * Milliseconds between two slots: `per_minute` of them take a minute and a second, so that no arrival
 * delayed by less than that second brings a sixty-second window above the limit (docs/decisions/rate.md).
 */
export function spacingMs(perMinute: number | null): number {
  return perMinute === null ? 0 : (60_000 + JITTER_MS) / perMinute;
}

const JITTER_MS = 1000;

interface Span {
  readonly sinceMs: number;
  readonly resetsAtMs: number | null;
}

function dayAt(day: DayStart, nowMs: number): Span {
  if (day.kind === 'rolling') return { sinceMs: nowMs - DAY_MS, resetsAtMs: null };
  const today = startOfDay(DateTime.fromMillis(nowMs, { zone: day.timeZone }), day);
  const start = today.toMillis() > nowMs ? startOfDay(today.minus({ days: 1 }), day) : today;
  return { sinceMs: start.toMillis(), resetsAtMs: startOfDay(start.plus({ days: 1 }), day).toMillis() };
}

function monthAt(day: DayStart, nowMs: number): Span {
  const fixed: FixedDay = day.kind === 'fixed' ? day : { minuteOfDay: 0, timeZone: 'UTC' };
  const first = startOfDay(DateTime.fromMillis(nowMs, { zone: fixed.timeZone }).set({ day: 1 }), fixed);
  const start = first.toMillis() > nowMs ? startOfDay(first.minus({ months: 1 }), fixed) : first;
  return { sinceMs: start.toMillis(), resetsAtMs: startOfDay(start.plus({ months: 1 }), fixed).toMillis() };
}

interface FixedDay {
  readonly minuteOfDay: number;
  readonly timeZone: string;
}

/** In the hour that spring skips the day begins as much later; in the hour that autumn repeats, with its first run. */
function startOfDay(date: DateTime, { minuteOfDay }: FixedDay): DateTime {
  return date.set({
    hour: Math.floor(minuteOfDay / 60),
    minute: minuteOfDay % 60,
    second: 0,
    millisecond: 0,
  });
}

const DAY_MS = 24 * 3600 * 1000;
