import type { WindowState } from '../../allowance/ledger.ts';
import { windowLengthMs, windowRow } from '../../allowance/window_table.ts';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import { byStretch, coarser, type Stretch, stretchFor } from '../../report/call_history.ts';
import { count, counted } from '../../report/figures.ts';
import { forecastQuota, type QuotaForecast, quotaForecastText } from '../../report/quota_forecast.ts';
import { numberAxis, timeTicks } from '../chart/axis.ts';
import { type ChartPoint, chartFigure, line, surface } from '../chart/chart.ts';
import { type Html, html } from '../html.ts';
import { compact } from '../page_figures.ts';
import type { PageSnapshot } from '../page_snapshot.ts';
import { defineSection, type SectionContext } from './section.ts';

/** The remaining quota in each allowance window over time, with a forecast. */
export const allowanceSection = defineSection({
  id: 'allowance',
  title: 'Allowance',
  group: 'charts',
  shownIf: 'always',
  open: () => (snapshot) => snapshot,
  render(snapshot, { id, title, times, hasTables }) {
    const { windows, spentEver } = snapshot.allowance.scheduled;
    // Short windows are omitted, because the key figures already show their quota.
    const long = windows.filter(({ name }) => windowLengthMs(windowRow(name)) > DAY_MS);
    const shown = long.length === 0 ? windows.slice(0, 1) : long;
    if (shown.length > 0)
      return shown.map((window) => burnDown(window, snapshot, { id, title, times, hasTables }));
    return html`<section class="chart" id="${id}" data-live><h3>${title}</h3><p>No allowance is configured, so only the rate is limited. Calls so far: ${count(spentEver)}.</p></section>`;
  },
});

function burnDown(
  window: WindowState,
  snapshot: PageSnapshot,
  { id, title, times, hasTables }: Pick<SectionContext, 'id' | 'title' | 'times' | 'hasTables'>,
): Html {
  const { nowMs, firstCallMs } = snapshot;
  const { name, limit, spent, resetsAtMs } = window;
  const left = Math.max(0, limit - spent);
  const fromMs = Math.max(window.sinceMs, Math.min(firstCallMs ?? nowMs, nowMs - HOUR_MS));
  const { stretches, lengthMs } = callsSince(snapshot, fromMs);
  const { rate } = snapshot.trends;
  const forecast = forecastQuota(window, rate, { windows: snapshot.allowance.scheduled.windows, nowMs });
  const forecastText = quotaForecastText(
    forecast,
    nowMs,
    times.zoned,
    snapshot.settings.allowance.paceUntilMs,
  );
  const toMs = axisEnd(forecast, { fromMs, nowMs, resetsAtMs });
  const axis = numberAxis(limit, compact);
  const at = (atMs: number) => Math.max(0, Math.min(1, (atMs - fromMs) / (toMs - fromMs)));
  const curve = quotaLeftOverTime(stretches, {
    left,
    limit,
    fromMs,
    nowMs,
    stretchMs: lengthMs,
  });
  const points = curve.map((point) => ({ at: at(point.atMs), up: point.left / axis.top }));
  return chartFigure(
    {
      id: `${id}-${name}`,
      title: `${title}: ${counted(limit, 'call')} ${windowRow(name).words.per}`,
      reading: `${count(left)} of ${count(limit)} left${forecastText === null ? '' : `; ${forecastText}`}`,
      description: `${count(left)} of ${count(limit)} calls are left.`,
      legend: [
        { name: 'calls left', tone: 'first' },
        ...(forecast.is === 'still'
          ? []
          : [{ name: 'at the rate of the last 7 days', tone: 'muted' } as const]),
      ],
      x: timeTicks(fromMs, toMs, times.zone),
      y: axis.ticks,
      shapes: [
        surface(points, 'first'),
        line(forecastLine(forecast, { at, nowMs, left, top: axis.top, toMs }), 'muted', { isForecast: true }),
        line(points, 'first'),
      ],
      table: {
        head: ['Until', 'Calls left'],
        rows: curve.map((point) => ({
          at: at(point.atMs),
          cells: [times.text(point.atMs), count(point.left)],
        })),
      },
    },
    hasTables,
  );
}

/** Returns the calls since `fromMs`, in at most 120 intervals of `lengthMs`. */
function callsSince({ nowMs, calls, hours, stretchMs }: PageSnapshot, fromMs: number) {
  const isShort = stretchMs < HOUR_MS;
  const lengthMs = isShort ? stretchMs : Math.max(HOUR_MS, stretchFor(nowMs - fromMs));
  const buckets = isShort ? calls : coarser(hours, lengthMs);
  return { lengthMs, stretches: byStretch(buckets.filter(({ atMs }) => atMs >= fromMs - lengthMs)) };
}

/**
 * Computes how the remaining quota changed over time. Goes back from now and adds the calls in each interval to the
 * quota that remained after that interval. Between intervals with calls, the quota is constant.
 */
function quotaLeftOverTime(
  stretches: readonly Stretch[],
  now: {
    readonly left: number;
    readonly limit: number;
    readonly fromMs: number;
    readonly nowMs: number;
    readonly stretchMs: number;
  },
): { atMs: number; left: number }[] {
  const curve = [{ atMs: now.nowMs, left: now.left }];
  let { left } = now;
  for (const { atMs, calls } of stretches.toReversed()) {
    const endMs = Math.min(atMs + now.stretchMs, now.nowMs);
    if (curve.at(-1)?.atMs !== endMs) curve.push({ atMs: endMs, left });
    left = Math.min(now.limit, left + calls);
    curve.push({ atMs: Math.max(now.fromMs, atMs), left });
  }
  if ((curve.at(-1)?.atMs ?? now.nowMs) > now.fromMs) curve.push({ atMs: now.fromMs, left });
  return curve.reverse();
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

function forecastLine(
  forecast: QuotaForecast,
  {
    at,
    nowMs,
    left,
    top,
    toMs,
  }: { at: (ms: number) => number; nowMs: number; left: number; top: number; toMs: number },
): ChartPoint[] {
  if (forecast.is === 'still') return [];
  const endMs = Math.min(toMs, forecast.is === 'ends' ? forecast.atMs : forecast.untilMs);
  const leftThen = Math.max(0, left - (forecast.perDay / DAY_MS) * (endMs - nowMs));
  return [
    { at: at(nowMs), up: left / top },
    { at: at(endMs), up: leftThen / top },
  ];
}
