import type { WindowState } from '../allowance/ledger.ts';
import type { CallBucket } from '../warehouse/page_queries.ts';

/** When an allowance window will be used up at the observed call rate. */
export type QuotaForecast =
  /** No forecast: a daily window, a window with nothing left, or no calls in the last seven days. */
  | { readonly is: 'still' }
  /** The quota is used up at `atMs`. */
  | { readonly is: 'ends'; readonly atMs: number; readonly perDay: number }
  /** The window resets at `untilMs`, with `left` calls unused. */
  | { readonly is: 'lasts'; readonly untilMs: number; readonly left: number; readonly perDay: number };

/** Calls that cost a unit, and the time over which they were counted. */
export interface CallRate {
  readonly calls: number;
  readonly overMs: number;
}

/**
 * The mean call rate of the last seven days, or since the first call of a younger mirror. Time without calls
 * counts, because a schedule of one run per week has six days without calls. The period is at least one hour
 * and starts at a full hour, because `hours` are the calls in buckets of one hour.
 */
export function observedRate(
  hours: readonly CallBucket[],
  { firstCallMs, nowMs }: { readonly firstCallMs: number | null; readonly nowMs: number },
): CallRate {
  const startMs = Math.max(firstCallMs ?? nowMs, nowMs - RATE_PERIOD_MS);
  const firstHourMs = Math.floor(startMs / HOUR_MS) * HOUR_MS;
  const counted = hours.filter(({ atMs, outcome }) => atMs >= firstHourMs && outcome !== 'unsent');
  return {
    calls: counted.reduce((sum, { calls }) => sum + calls, 0),
    overMs: Math.max(nowMs - firstHourMs, HOUR_MS),
  };
}

/**
 * With `r` calls per day and `q` calls left, the quota is used up after `q / r` days, unless the window resets
 * earlier. The limit of the daily window is the upper bound of `r`. A first run often uses a whole day's quota in one
 * hour.
 *
 * Daily windows have no forecast. A mean of seven days does not show when the calls of one day are sent. A rolling
 * day returns each unit after 24 hours, so that it is never used up permanently.
 */
export function forecastQuota(
  window: WindowState,
  { calls, overMs }: CallRate,
  { windows, nowMs }: { readonly windows: readonly WindowState[]; readonly nowMs: number },
): QuotaForecast {
  const { name, left, resetsAtMs } = window;
  if (name === 'day' || left <= 0 || calls <= 0) return { is: 'still' };
  const dailyLimit = windows.find((one) => one.name === 'day')?.limit ?? Number.POSITIVE_INFINITY;
  const perDay = Math.min((calls / overMs) * DAY_MS, dailyLimit);
  const endsAtMs = nowMs + (left / perDay) * DAY_MS;
  if (resetsAtMs === null || endsAtMs < resetsAtMs) return { is: 'ends', atMs: endsAtMs, perDay };
  const used = ((resetsAtMs - nowMs) / DAY_MS) * perDay;
  return { is: 'lasts', untilMs: resetsAtMs, left: left - used, perDay };
}

export const RATE_PERIOD_MS = 7 * 86_400_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
