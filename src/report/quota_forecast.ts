import type { Database } from 'better-sqlite3';
import type { WindowState } from '../allowance/ledger.ts';
import { windowLengthMs, windowRow } from '../allowance/window_table.ts';
import { isRolling } from '../allowance/windows.ts';
import { DAY_MS, HOUR_MS, WEEK_MS } from '../durations.ts';
import { firstCallMs, sentCalls } from '../warehouse/call_counts.ts';
import { count, counted, estimatedTime } from './figures.ts';

/** A forecast of when the observed call rate will use up an allowance window's quota. */
export type QuotaForecast =
  /**
   * There is no forecast, because the window is at most a day long or has no quota left, or because no calls were sent
   * in the last seven days, or only for less than a day.
   */
  | { readonly is: 'still' }
  /** The quota is used up at `atMs`. */
  | { readonly is: 'ends'; readonly atMs: number; readonly perDay: number }
  /** The window resets at `untilMs`, with `left` calls unused. */
  | { readonly is: 'lasts'; readonly untilMs: number; readonly left: number; readonly perDay: number };

/** How many calls spent a unit, and in how long a period. */
export interface CallRate {
  readonly calls: number;
  readonly overMs: number;
}

/**
 * Returns the mean call rate over the last seven days, or since the first call if the mirror is younger. The period
 * includes time without calls, because a mirror that runs once a week makes no calls on six days. The period is at
 * least one hour and starts on the hour.
 */
export function readCallRate(db: Database, nowMs: number): CallRate {
  const startMs = Math.max(firstCallMs(db) ?? nowMs, nowMs - RATE_PERIOD_MS);
  const firstHourMs = Math.floor(startMs / HOUR_MS) * HOUR_MS;
  return {
    calls: sentCalls(db, firstHourMs, nowMs + 1),
    overMs: Math.max(nowMs - firstHourMs, HOUR_MS),
  };
}

/**
 * Forecasts the quota. With `r` calls per day and `q` calls left, the quota is used up after `q / r` days, unless the
 * window resets earlier. `r` is capped at the daily limit of each shorter window, because a first run often uses a
 * whole day's quota in one hour.
 *
 * There is no forecast for windows of a day or less, because a seven-day mean does not show when in the day calls are
 * sent. Nor is there one for rolling windows, because each unit becomes available again once the window's length has
 * passed.
 */
export function forecastQuota(
  window: WindowState,
  { calls, overMs }: CallRate,
  { windows, nowMs }: { readonly windows: readonly WindowState[]; readonly nowMs: number },
): QuotaForecast {
  const { left, resetsAtMs } = window;
  const isLong = !isRolling(window) && lengthMsOf(window) > DAY_MS;
  if (!isLong || overMs < DAY_MS || left <= 0 || calls <= 0) return { is: 'still' };
  const shorter = windows.filter((one) => lengthMsOf(one) < lengthMsOf(window));
  const perDay = Math.min((calls / overMs) * DAY_MS, ...shorter.map(perDayOf));
  const endsAtMs = nowMs + (left / perDay) * DAY_MS;
  if (resetsAtMs === null || endsAtMs < resetsAtMs) return { is: 'ends', atMs: endsAtMs, perDay };
  const used = ((resetsAtMs - nowMs) / DAY_MS) * perDay;
  return { is: 'lasts', untilMs: resetsAtMs, left: left - used, perDay };
}

/** Returns the forecast as one clause of a sentence, or null if there is none. */
export function quotaForecastText(
  forecast: QuotaForecast,
  nowMs: number,
  {
    zone,
    paceUntilMs = null,
  }: { readonly zone?: string | undefined; readonly paceUntilMs?: number | null | undefined } = {},
): string | null {
  if (forecast.is === 'still' || (forecast.is === 'ends' && forecast.atMs <= nowMs)) return null;
  const rate = `at ${counted(Math.round(forecast.perDay), 'call')} a day (last 7 days)`;
  if (forecast.is === 'ends' && paceUntilMs !== null && forecast.atMs < paceUntilMs)
    return `${rate}; paced to last until ${estimatedTime(paceUntilMs, nowMs, zone)}`;
  if (forecast.is === 'ends')
    return `${rate}, used up by ${estimatedTime(forecast.atMs, nowMs, zone)}; allowance.pace_until makes it last longer`;
  return `${rate}, ${count(Math.max(0, forecast.left))} left at the reset`;
}

function lengthMsOf({ name }: WindowState): number {
  return windowLengthMs(windowRow(name));
}

/** Returns the average number of calls that a window permits per day. */
function perDayOf(window: WindowState): number {
  return (window.limit / lengthMsOf(window)) * DAY_MS;
}

export const RATE_PERIOD_MS = WEEK_MS;
