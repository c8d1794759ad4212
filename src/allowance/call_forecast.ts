import { DAY_MS } from '../durations.ts';
import type { LedgerState } from './account_windows.ts';
import {
  type Allowance,
  isLifetime,
  limitFor,
  type Purpose,
  rollingLengthMs,
  spacingMs,
  unlimitedWindowAt,
  type WindowName,
  windowsAt,
} from './windows.ts';

/** A forecast of how long a number of calls takes if nothing else spends the allowance. */
export interface Completion {
  /** The number of these calls that the account can make within a hundred years. */
  readonly affordable: number;
  /** The time of the last affordable call; `nowMs` if there is none. */
  readonly finishesAtMs: number;
  /** The number of the account's days on which calls are made. If the day is rolling, 24-hour periods from now. */
  readonly days: number;
  /** The time that all calls would take if only the rate limited them; 0 if there is no rate. */
  readonly atRateMs: number;
}

interface CompletionInput {
  readonly allowance: Allowance;
  /** The number of calls that this purpose can still make now, by window. */
  readonly left: readonly { readonly name: WindowName; readonly left: number }[];
  readonly purpose: Purpose;
  readonly calls: number;
  readonly nowMs: number;
  /** The time of the first call; default: `nowMs`. Windows that reset before then are full again. */
  readonly startsAtMs?: number;
}

/** The lowest and the highest number of calls; `high` is null if there is no known upper bound. */
interface CallBounds {
  readonly low: number;
  readonly high: number | null;
}

/** The part of the ledger's state that a forecast needs. */
export type ForecastState = Pick<LedgerState, 'pausedUntilMs' | 'resumesAtMs'> & {
  readonly windows: CompletionInput['left'];
};

/** Forecasts the lowest and the highest number of calls, from the time at which the account permits calls. */
export function forecastRange(
  { low, high }: CallBounds,
  state: ForecastState,
  input: Pick<CompletionInput, 'allowance' | 'purpose' | 'nowMs'>,
): { readonly low: Completion; readonly high: Completion | null } {
  const startsAtMs = startOfCallsMs(state, input.nowMs);
  const forecast = (calls: number) =>
    forecastCompletion({ ...input, left: state.windows, calls, startsAtMs });
  return { low: forecast(low), high: high === null ? null : forecast(high) };
}

/** When the upstream's pause ends and the account can spend again, or `nowMs` if it can call now. */
export function startOfCallsMs(
  { pausedUntilMs, resumesAtMs }: Pick<LedgerState, 'pausedUntilMs' | 'resumesAtMs'>,
  nowMs: number,
): number {
  return Math.max(nowMs, pausedUntilMs ?? 0, resumesAtMs ?? 0);
}

/**
 * Simulates the allowance windows. Calls are made at the rate until a window is exhausted, and resume when it resets. A
 * rolling window is simulated as consecutive fixed windows of the same length, starting now.
 */
export function forecastCompletion(input: CompletionInput): Completion {
  const { allowance, left, purpose, calls, nowMs, startsAtMs = nowMs } = input;
  const spacing = spacingMs(allowance.perMinute);
  const limits = new Map(windowsAt(allowance, nowMs).map(({ name, limit }) => [name, limit]));
  const fullLimitOf = (name: WindowName) =>
    limitFor(limits.get(name) ?? Infinity, allowance.reserve, purpose);
  const lefts = new Map(left.map((window) => [window.name, window.left]));
  const affordable = Math.min(calls, ...left.filter(isLifetime).map((window) => window.left));
  let days = 0;
  /** The start of the last day on which calls are made. */
  let lastDayMs = Number.NEGATIVE_INFINITY;
  let atMs = startsAtMs;
  let made = 0;
  renewLimits(resetsAt(nowMs));

  while (made < affordable && atMs < nowMs + HORIZON_MS) {
    const resets = resetsAt(atMs);
    if (skipEqualPeriods(resets)) continue;
    const untilMs = Math.min(...resets.values());
    const slots = spacing === 0 ? Infinity : Math.max(1, Math.floor((untilMs - atMs) / spacing));
    const batch = Math.max(0, Math.min(affordable - made, slots, ...lefts.values()));
    if (batch > 0) countDays(atMs, atMs + Math.max(batch * spacing - 1, 0));
    made += batch;
    for (const [name, calls] of lefts) lefts.set(name, calls - batch);
    atMs += batch * spacing;
    if (made >= affordable) break;
    // The account can spend again when all exhausted windows have reset.
    const reopensMs = Math.max(
      untilMs,
      ...[...lefts].filter(([, calls]) => calls <= 0).map(([name]) => resets.get(name) ?? Infinity),
    );
    if (reopensMs === Infinity) break;
    atMs = Math.max(atMs, reopensMs);
    renewLimits(resets);
  }
  return {
    affordable: made,
    finishesAtMs: made === 0 ? nowMs : atMs,
    days,
    atRateMs: calls * spacing,
  };

  /** Refills the windows that have reset by `atMs`. */
  function renewLimits(resets: ReadonlyMap<WindowName, number>): void {
    for (const [name, resetMs] of resets) if (resetMs <= atMs) lefts.set(name, fullLimitOf(name));
  }

  /** Makes the calls of all equal months or days in one step. Returns false if there are none. */
  function skipEqualPeriods(resets: ReadonlyMap<WindowName, number>): boolean {
    const daily = Math.min(fullLimitOf('day'), spacing === 0 ? Infinity : Math.floor(DAY_MS / spacing));
    const monthly = fullLimitOf('month');
    const daysOfMonth = Math.max(1, Math.ceil(monthly / daily));
    const month = {
      name: 'month',
      calls: monthly,
      days: daysOfMonth,
      takesMs: daysOfMonth * DAY_MS,
    } as const;
    const day = { name: 'day', calls: daily, days: 1, takesMs: daily * spacing } as const;
    return (daysOfMonth < SHORTEST_MONTH_DAYS && skip(month, resets)) || skip(day, resets);
  }

  /** Skips all periods that come before the last call and before a longer window matters. */
  function skip(period: EqualPeriod, resets: ReadonlyMap<WindowName, number>): boolean {
    const { name, calls, takesMs } = period;
    const resetMs = resets.get(name);
    if (resetMs === undefined || lefts.get(name) !== fullLimitOf(name) || resetMs - atMs < takesMs)
      return false;
    const longer = [...lefts].filter(([other]) => other !== name && other !== 'day');
    const endMs = Math.min(nowMs + HORIZON_MS, ...longer.map(([other]) => resets.get(other) ?? Infinity));
    const lengthMs = name === 'day' ? DAY_MS : MEAN_MONTH_MS;
    const callCounts = [affordable - made, ...longer.map(([, left]) => left)];
    const periods = Math.min((endMs - atMs) / lengthMs, ...callCounts.map((count) => count / calls));
    const skipped = Math.floor(periods) - 1;
    if (!(skipped > 0)) return false;
    made += skipped * calls;
    for (const [other, left] of longer) lefts.set(other, left - skipped * calls);
    days += skipped * period.days;
    // The middle is in the right period, even if the clock changes or months differ in length.
    atMs = spanOf(name, spanOf(name, atMs).startMs + (skipped - 0.5) * lengthMs).endMs;
    return true;
  }

  /** Returns each window's first reset after `ms`, except for windows that never reset. */
  function resetsAt(ms: number): Map<WindowName, number> {
    return new Map(
      windowsAt(allowance, ms).flatMap((window) => {
        if (window.resetsAtMs !== null) return [[window.name, window.resetsAtMs] as const];
        if (isLifetime(window)) return [];
        const lengthMs = rollingLengthMs(window);
        return [[window.name, nowMs + (Math.floor((ms - nowMs) / lengthMs) + 1) * lengthMs] as const];
      }),
    );
  }

  /** Counts the days of calls that are made from `fromMs` to `toMs`. */
  function countDays(fromMs: number, toMs: number): void {
    const [firstMs, lastMs] = [spanOf('day', fromMs).startMs, spanOf('day', toMs).startMs];
    days += Math.round((lastMs - firstMs) / DAY_MS) + (firstMs === lastDayMs ? 0 : 1);
    lastDayMs = lastMs;
  }

  /** Returns the account's day or month. If the day is rolling, a 24-hour period from now. */
  function spanOf(name: WindowName, ms: number): { readonly startMs: number; readonly endMs: number } {
    const { sinceMs, resetsAtMs } = unlimitedWindowAt(name, allowance.day, ms);
    if (resetsAtMs !== null) return { startMs: sinceMs, endMs: resetsAtMs };
    const startMs = nowMs + Math.floor((ms - nowMs) / DAY_MS) * DAY_MS;
    return { startMs, endMs: startMs + DAY_MS };
  }
}

/** A day or month in which as many calls are made as in the next one. */
interface EqualPeriod {
  readonly name: 'day' | 'month';
  readonly calls: number;
  /** The number of days on which the calls are made. */
  readonly days: number;
  /** The time that the calls take. */
  readonly takesMs: number;
}

const SHORTEST_MONTH_DAYS = 28;
const MEAN_MONTH_MS = (365.2425 / 12) * DAY_MS;
// Forecasts end after a hundred years.
const HORIZON_MS = 36_525 * DAY_MS;
