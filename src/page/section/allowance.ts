import type { WindowState } from '../../allowance/ledger.ts';
import { byStretch, type Stretch } from '../../report/call_history.ts';
import { count } from '../../report/figures.ts';
import { forecastQuota, observedRate, type QuotaForecast } from '../../report/quota_forecast.ts';
import { numberAxis, timeTicks } from '../chart/axis.ts';
import { type ChartPoint, chartFigure, line, surface } from '../chart/chart.ts';
import { type Html, html, type Part } from '../html.ts';
import { compact, roughly, type Times } from '../page_figures.ts';
import type { Overview } from '../page_reader.ts';
import { WINDOWS } from './state.ts';

/** What is left of each allowance over time, and where it is heading. */
export function allowanceCharts(overview: Overview, times: Times): Html[] {
  const { windows } = overview.ledger;
  if (windows.length > 0) return windows.map((window) => burnDown(window, overview, times));
  return [
    html`<section class="chart" id="allowance" data-live><h3>Allowance</h3><p>No allowance is configured: only the rate limits the calls. ${count(overview.ledger.spentEver)} were made so far.</p></section>`,
  ];
}

function burnDown(window: WindowState, overview: Overview, times: Times): Html {
  const { nowMs, firstCallMs } = overview;
  const { name, limit, spent, resetsAtMs } = window;
  const left = Math.max(0, limit - spent);
  const fromMs = Math.max(window.sinceMs, Math.min(firstCallMs ?? nowMs, nowMs - HOUR_MS));
  const stretches = stretchesSince(overview, fromMs);
  const rate = observedRate(overview.hours, { firstCallMs, nowMs });
  const forecast = forecastQuota(window, rate, { windows: overview.ledger.windows, nowMs });
  const toMs = endOf(forecast, { fromMs, nowMs, resetsAtMs });
  const axis = numberAxis(limit, compact);
  const at = (atMs: number) => Math.max(0, Math.min(1, (atMs - fromMs) / (toMs - fromMs)));
  const curve = leftOver(stretches, {
    left,
    limit,
    fromMs,
    nowMs,
    stretchMs: Math.min(overview.stretchMs, HOUR_MS),
  });
  const places = curve.map((point) => ({ at: at(point.atMs), up: point.left / axis.top }));
  return chartFigure({
    id: `allowance-${name}`,
    title: `Allowance, ${WINDOWS[name]}`,
    reading: html`${count(left)} of ${count(limit)} left${inWords(forecast, times, nowMs)}`,
    description: `${count(left)} of ${count(limit)} calls are left.`,
    legend: [
      { name: 'calls left', tone: 'first' },
      ...(forecast.is === 'still'
        ? []
        : [{ name: 'at the rate of the last 7 days', tone: 'muted' } as const]),
    ],
    x: timeTicks(fromMs, toMs, times.zone),
    y: axis.ticks,
    marks: [
      surface(places, 'first'),
      line(forecastLine(forecast, { at, nowMs, left, top: axis.top, toMs }), 'muted', { isForecast: true }),
      line(places, 'first'),
    ],
    table: {
      head: ['Until', 'Calls left'],
      rows: curve.map((point) => ({
        at: at(point.atMs),
        cells: [times.text(point.atMs), count(point.left)],
      })),
    },
  });
}

/** The finest stretches that reach back so far. */
function stretchesSince({ calls, hours, stretchMs }: Overview, fromMs: number): Stretch[] {
  const finest = stretchMs <= HOUR_MS ? calls : hours;
  return byStretch(finest.filter(({ atMs }) => atMs >= fromMs - HOUR_MS));
}

/** What was left when, counted back from now; between the stretches with calls nothing was spent. */
function leftOver(
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

/** How far to the right the future reaches: to the end of the window or of the calls, but no further than the past does. */
function endOf(
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

function inWords(forecast: QuotaForecast, times: Times, nowMs: number): Part {
  switch (forecast.is) {
    case 'still':
      return null;
    case 'ends':
      return forecast.atMs <= nowMs
        ? null
        : html`; at the rate of the last 7 days used up in ${roughly(forecast.atMs - nowMs)}, ${times.brief(forecast.atMs)}`;
    case 'lasts':
      return html`; at the rate of the last 7 days ${count(forecast.left)} at the reset ${times.brief(forecast.untilMs)}`;
  }
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
