import { growth } from '../../report/call_history.ts';
import { count, percent } from '../../report/figures.ts';
import { numberAxis, timeTicks } from '../chart/axis.ts';
import { chartFigure, line, surface } from '../chart/chart.ts';
import { type Html, html } from '../html.ts';
import { compact, type Times } from '../page_figures.ts';
import type { Overview } from '../page_reader.ts';

/** Companies and records over time, against what the registry says of its own size. */
export function coverageChart(overview: Overview, times: Times): Html {
  const { nowMs, coverage, calls, stretchMs, totals } = overview;
  const { known, gone, fetched, registryTotal, knownShare } = coverage;
  const curve = growth(calls, { atMs: nowMs, known: known - gone, fetched }, stretchMs);
  const fromMs = curve[0]?.atMs ?? nowMs;
  const seen = totals
    .flatMap(({ observedAt, total }) => (total === null ? [] : [{ atMs: Date.parse(observedAt), total }]))
    .reverse();
  const axis = numberAxis(Math.max(known, ...seen.map(({ total }) => total)), compact);
  const at = (atMs: number) => Math.max(0, Math.min(1, (atMs - fromMs) / Math.max(1, nowMs - fromMs)));
  const up = (value: number) => Math.min(1, value / axis.top);
  const totalAt = (atMs: number) => seen.findLast((observed) => observed.atMs <= atMs)?.total ?? null;
  const last = seen.at(-1);
  const knownLine = curve.map((point) => ({ at: at(point.atMs), up: up(point.known) }));
  return chartFigure({
    id: 'coverage',
    title: 'Coverage',
    reading: html`${count(known - gone)} known${knownShare !== null && html` (${percent(Math.min(1, knownShare))})`}, ${count(fetched)} with their record`,
    description: `${count(known - gone)} companies are known and ${count(fetched)} records held${registryTotal === null ? '' : `, of ${count(registryTotal)} by the registry's own count`}.`,
    legend: [
      { name: 'companies known', tone: 'first' },
      { name: 'records', tone: 'second' },
      ...(seen.length === 0 ? [] : [{ name: 'the registry’s own count', tone: 'muted' } as const]),
    ],
    x: timeTicks(fromMs, nowMs, times.zone),
    y: axis.ticks,
    marks: [
      surface(knownLine, 'first'),
      last === undefined
        ? html``
        : line(
            [
              ...seen.map(({ atMs, total }) => ({ at: at(atMs), up: up(total) })),
              { at: 1, up: up(last.total) },
            ],
            'muted',
            { isStep: true },
          ),
      line(
        curve.map((point) => ({ at: at(point.atMs), up: up(point.fetched) })),
        'second',
      ),
      line(knownLine, 'first'),
    ],
    table: {
      head: ['Until', 'Known', 'Records', 'Registry’s count'],
      rows: curve.map((point) => {
        const total = totalAt(point.atMs);
        return {
          at: at(point.atMs),
          cells: [
            times.text(point.atMs),
            count(point.known),
            count(point.fetched),
            total === null ? '–' : count(total),
          ],
        };
      }),
    },
  });
}
