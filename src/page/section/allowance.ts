import type { WindowState } from '../../allowance/ledger.ts';
import { windowLengthMs, windowRow } from '../../allowance/window_table.ts';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import { byStretch, coarser, curveUntil, stretchFor } from '../../report/call_history.ts';
import { count, counted } from '../../report/figures.ts';
import { forecastQuota, type QuotaForecast, quotaForecastText } from '../../report/quota_forecast.ts';
import { timeTicks } from '../chart/axis.ts';
import { type ChartRow, chartFigure, type Series } from '../chart/chart.ts';
import { type Html, html } from '../html.ts';
import type { PageSnapshot } from '../page_snapshot.ts';
import type { Section, SectionContext } from './section.ts';

/** The remaining quota in each allowance window over time, with a forecast. */
export const allowanceSection: Section = {
  id: 'allowance',
  title: 'Allowance',
  group: 'charts',
  shownIf: 'always',
  draw(context, section) {
    const { windows, spentEver } = context.snapshot.allowance.scheduled;
    // Short windows are omitted, because the key figures already show their quota.
    const long = windows.filter(({ name }) => windowLengthMs(windowRow(name)) > DAY_MS);
    const shown = long.length === 0 ? windows.slice(0, 1) : long;
    if (shown.length > 0) return shown.map((window) => burnDown(window, context, section));
    return html`<section class="chart" id="${section.id}" data-live><h3>${section.title}</h3><p>No allowance is configured, so only the rate is limited. Calls so far: ${count(spentEver)}.</p></section>`;
  },
};

function burnDown(window: WindowState, { snapshot, times }: SectionContext, { id, title }: Section): Html {
  const { nowMs, firstCallMs, allowance, settings, trends } = snapshot;
  const { name, limit, spent, resetsAtMs } = window;
  const left = Math.max(0, limit - spent);
  const fromMs = Math.max(window.sinceMs, Math.min(firstCallMs ?? nowMs, nowMs - HOUR_MS));
  const { stretches, stretchMs } = callsSince(snapshot, fromMs);
  const forecast = forecastQuota(window, trends.rate, { windows: allowance.scheduled.windows, nowMs });
  const forecastText = quotaForecastText(forecast, nowMs, {
    zone: times.zone,
    paceUntilMs: settings.allowance.paceUntilMs,
  });
  const toMs = axisEnd(forecast, { fromMs, nowMs, resetsAtMs });
  const row = (atMs: number, values: ChartRow['values']): ChartRow => ({
    at: Math.max(0, Math.min(1, (atMs - fromMs) / (toMs - fromMs))),
    label: times.text(atMs),
    values,
  });
  const curve = curveUntil({ atMs: nowMs, left }, stretches, stretchMs, (after, { calls }) => ({
    left: Math.min(limit, after.left + calls),
  }));
  const [first] = curve;
  // The first interval can begin before the window, or the window before the first call.
  const start = first !== undefined && first.atMs > fromMs ? [{ ...first, atMs: fromMs }] : [];
  const whole = [...start, ...curve].map((point) => ({ ...point, atMs: Math.max(fromMs, point.atMs) }));
  const later = forecastPoint(forecast, { nowMs, left, toMs });
  const series: Series[] = [{ name: 'calls left', tone: 'good', as: 'area' }];
  if (later !== null) series.push({ name: 'at the rate of the last 7 days', tone: 'muted', as: 'forecast' });
  return chartFigure({
    id: `${id}-${name}`,
    title: `${title}: ${counted(limit, 'call')} ${windowRow(name).words.per}`,
    reading: `${count(left)} of ${count(limit)} left${forecastText === null ? '' : `; ${forecastText}`}`,
    series,
    rowHead: 'Until',
    rows: [
      ...whole.map((point) => row(point.atMs, [point.left, point.atMs === nowMs ? point.left : null])),
      ...(later === null ? [] : [row(later.atMs, [null, later.left])]),
    ],
    ticks: timeTicks(fromMs, toMs, times.zone),
  });
}

/** Returns the calls since `fromMs`, in at most 120 intervals of `stretchMs`. */
function callsSince({ nowMs, calls, hours, stretchMs }: PageSnapshot, fromMs: number) {
  const isShort = stretchMs < HOUR_MS;
  const lengthMs = isShort ? stretchMs : Math.max(HOUR_MS, stretchFor(nowMs - fromMs));
  const buckets = isShort ? calls : coarser(hours, lengthMs);
  const stretches = byStretch(buckets.filter(({ atMs }) => atMs >= fromMs - lengthMs));
  return { stretchMs: lengthMs, stretches };
}

interface QuotaPoint {
  readonly atMs: number;
  readonly left: number;
}

/**
 * Returns where the time axis ends: when the window resets or when the quota is used up. The forecast is at most as
 * long as the history.
 */
function axisEnd(
  forecast: QuotaForecast,
  { fromMs, nowMs, resetsAtMs }: { fromMs: number; nowMs: number; resetsAtMs: number | null },
): number {
  if (resetsAtMs !== null) return resetsAtMs;
  const furthestMs = nowMs + Math.max(nowMs - fromMs, HOUR_MS);
  return forecast.is === 'ends' ? Math.min(forecast.atMs, furthestMs) : nowMs + (furthestMs - nowMs) / 10;
}

/** Returns the quota that is left at the end of the axis or of the forecast. */
function forecastPoint(
  forecast: QuotaForecast,
  { nowMs, left, toMs }: { nowMs: number; left: number; toMs: number },
): QuotaPoint | null {
  if (forecast.is === 'still') return null;
  const atMs = Math.min(toMs, forecast.is === 'ends' ? forecast.atMs : forecast.untilMs);
  return { atMs, left: Math.max(0, Math.round(left - (forecast.perDay / DAY_MS) * (atMs - nowMs))) };
}
