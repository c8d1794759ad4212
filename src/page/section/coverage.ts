import { type Grown, growth } from '../../report/call_history.ts';
import { count } from '../../report/figures.ts';
import { totalsSeen } from '../../warehouse/page_queries.ts';
import { numberAxis, timeTicks } from '../chart/axis.ts';
import { chartFigure, line, surface } from '../chart/chart.ts';
import { RANGES } from '../chart/periods.ts';
import { html } from '../html.ts';
import { compact } from '../page_figures.ts';
import { defineSection } from './section.ts';

/** Known companies and fetched records over time, compared with the registry count. */
export const coverageSection = defineSection({
  id: 'coverage',
  title: 'Registry size',
  group: 'charts',
  shownIf: 'filled',
  open:
    ({ db }) =>
    (snapshot) => ({ ...snapshot, totals: totalsSeen(db, MAX_TOTALS) }),
  render({ nowMs, range, mirror: { coverage }, calls, stretchMs, totals }, { id, title, times, hasTables }) {
    const { known, gone, fetched, registryTotal } = coverage;
    const whole = growth(calls, { atMs: nowMs, known: known - gone, fetched }, stretchMs);
    const curve = sinceTime(whole, nowMs - RANGES[range ?? 'all']);
    const fromMs = curve[0]?.atMs ?? nowMs;
    const counts = totals
      .flatMap(({ observedAt, total }) => (total === null ? [] : [{ atMs: Date.parse(observedAt), total }]))
      .reverse();
    const axis = numberAxis(Math.max(known, ...counts.map(({ total }) => total)), compact);
    const at = (atMs: number) => Math.max(0, Math.min(1, (atMs - fromMs) / Math.max(1, nowMs - fromMs)));
    const up = (value: number) => Math.min(1, value / axis.top);
    const countAt = (atMs: number) => counts.findLast((observed) => observed.atMs <= atMs)?.total ?? null;
    const last = counts.at(-1);
    const knownLine = curve.map((point) => ({ at: at(point.atMs), up: up(point.known) }));
    return chartFigure(
      {
        id,
        title,
        reading: `${count(known - gone)} known, ${count(fetched)} with records`,
        description: `${count(known - gone)} known companies and ${count(fetched)} fetched records${registryTotal === null ? '' : `; registry count: ${count(registryTotal)}`}.`,
        legend: [
          { name: 'known companies', tone: 'first' },
          { name: 'records', tone: 'second' },
          ...(counts.length === 0 ? [] : [{ name: 'registry count', tone: 'muted' } as const]),
        ],
        x: timeTicks(fromMs, nowMs, times.zone),
        y: axis.ticks,
        shapes: [
          surface(knownLine, 'first'),
          last === undefined
            ? html``
            : line(
                [
                  ...counts.map(({ atMs, total }) => ({ at: at(atMs), up: up(total) })),
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
          head: ['Until', 'Known', 'Records', 'Registry count'],
          rows: curve.map((point) => {
            const total = countAt(point.atMs);
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
      },
      hasTables,
    );
  },
});

/** Returns the part of a curve after `fromMs`. */
function sinceTime(curve: readonly Grown[], fromMs: number): Grown[] {
  const before = curve.findLast(({ atMs }) => atMs < fromMs);
  const later = curve.filter(({ atMs }) => atMs >= fromMs);
  return before === undefined ? later : [{ ...before, atMs: fromMs }, ...later];
}

const MAX_TOTALS = 400;
