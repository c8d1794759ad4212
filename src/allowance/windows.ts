import { IANAZone } from 'luxon';

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

/** The same, remembered until one of the fixed windows resets: it is asked twice for every call. */
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
    if (allowance.day.kind === 'fixed') return windows;
    return windows.map((window) =>
      window.name === 'day' ? { ...window, ...dayAt(allowance.day, atMs) } : window,
    );
  };
}

/** How much of a limit a purpose may use: backfills leave the reserve untouched. */
export function limitFor(limit: number, reserve: number, purpose: Purpose): number {
  // Rounded first: 10 × (1 − 0.9) is 0.9999999999999998.
  return purpose === 'backfill' ? Math.floor(Number((limit * (1 - reserve)).toPrecision(12))) : limit;
}

export type Purpose = 'scheduled' | 'backfill';

/**
 * Milliseconds between two slots: `per_minute` of them take a minute and a second, so that no arrival
 * delayed by less than that second brings a sixty-second window above the limit (docs/decisions/0001-rate.md).
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

function dayAt(day: DayStart, nowMs: number): Span {
  if (day.kind === 'rolling') return { sinceMs: nowMs - DAY_MS, resetsAtMs: null };
  const { year, month, date } = localDate(day, nowMs);
  return spanBetween(day, nowMs, (step) => Date.UTC(year, month, date + step));
}

/** Months begin with the day that their first date names; for a rolling day, in UTC. */
function monthAt(day: DayStart, nowMs: number): Span {
  const fixed: FixedDay = day.kind === 'fixed' ? day : { kind: 'fixed', minuteOfDay: 0, timeZone: 'UTC' };
  const { year, month } = localDate(fixed, nowMs);
  return spanBetween(fixed, nowMs, (step) => Date.UTC(year, month + step, 1));
}

/**
 * The span around now, between two starts that do not depend on now: so spans neither overlap nor leave a
 * gap, whatever a zone's clock does. Two steps to either side, because around a change of the clock the
 * local date can already have begun once, and a zone that crosses the date line skips one.
 */
function spanBetween(day: FixedDay, nowMs: number, midnightAt: (step: number) => number): Span {
  const starts = [-2, -1, 0, 1, 2].map((step) => startOf(day, midnightAt(step)));
  return {
    sinceMs: Math.max(...starts.filter((start) => start <= nowMs)),
    resetsAtMs: Math.min(...starts.filter((start) => start > nowMs)),
  };
}

/**
 * When the day begins whose local midnight, read as UTC, is `midnightMs`. In the hour that spring skips it
 * begins as much later; in the hour that autumn repeats, with its first run.
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

/** Decisions about moments, pure: near a reset, and after an exhausted allowance. */

/** A call arrives at most so long after its slot, by a clock that is at most so far from ours. */
export const ARRIVAL_MS = 1000;

/** A call must arrive in the window that pays for it: none is sent right before a reset, nor right after it. */
export function clearOfResets(atMs: number, windows: readonly Window[]): number {
  const moments = windows.map(({ sinceMs, resetsAtMs }) => {
    if (resetsAtMs === null) return atMs;
    return atMs > resetsAtMs - ARRIVAL_MS ? resetsAtMs + ARRIVAL_MS : sinceMs + ARRIVAL_MS;
  });
  return Math.max(atMs, ...moments);
}

export interface Exhaustion {
  /** The date that the upstream named, or null. */
  readonly namedMs: number | null;
  readonly states: readonly Window[];
  /** How often it said so before, without an answer in between. */
  readonly times: number;
  readonly nowMs: number;
}

/**
 * How long the upstream's word that the allowance is spent holds: until the date that it names, else until
 * the next window opens, else for a day. Never for good, since a wrong reading of one answer would then
 * silence the account for ever; instead every further time without an answer in between doubles the wait.
 */
export function exhaustionEndsMs({ namedMs, states, times, nowMs }: Exhaustion): number {
  const doubled = 2 ** Math.min(times, 10);
  const resets = states.flatMap(({ resetsAtMs }) => resetsAtMs ?? []);
  const dueMs = namedMs ?? (resets.length > 0 ? Math.min(...resets) : nowMs + DAY_MS * doubled);
  const leastMs = times === 0 ? nowMs : nowMs + (HOUR_MS * doubled) / 2;
  return Math.min(Math.max(dueMs, leastMs), nowMs + LONGEST_MS);
}

const HOUR_MS = 3_600_000;
const LONGEST_MS = 32 * DAY_MS;
