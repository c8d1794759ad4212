import { DAY_MS } from '../../durations.ts';
import { count, counted } from '../../report/figures.ts';
import { hasFailed } from '../../report/run_ending.ts';
import { type DayRuns, runsByDay } from '../../warehouse/page_queries.ts';
import { numberAxis, timeTicks } from '../chart/axis.ts';
import { bars, chartFigure, type Tone } from '../chart/chart.ts';
import { periodsUntil } from '../chart/periods.ts';
import { compact } from '../page_figures.ts';
import { defineSection } from './section.ts';

/** The runs of each day, by result. */
export const runHistorySection = defineSection({
  id: 'run-history',
  title: 'Runs per day',
  group: 'charts',
  shownIf: 'filled',
  open({ db }) {
    const read = runsByDay(db);
    return ({ nowMs }) => ({ nowMs, rows: read(nowMs - DAYS * DAY_MS) });
  },
  render({ nowMs, rows }, { id, title, times, hasTables }) {
    const periods = periodsUntil(nowMs, { unit: 'day', count: DAYS, zone: times.zone });
    const days = periods.starts.map((atMs, at) => ({
      atMs,
      runs: RESULTS.map(({ fits }) =>
        countRuns(rows, (row) => fits(row) && periods.indexOf(Date.parse(row.day)) === at),
      ),
    }));
    const all = countRuns(rows, () => true);
    const failed = countRuns(rows, (row) => !isGood(row));
    const axis = numberAxis(Math.max(1, ...days.map(({ runs }) => sumOf(runs))), compact);
    const slot = 1 / days.length;
    return chartFigure(
      {
        ...{ id, title, legend: RESULTS.map(({ name, tone }) => ({ name, tone })) },
        reading: `${counted(all, 'run')} in ${DAYS} days, ${count(failed)} without success`,
        description: `${counted(all, 'run')} in the last ${DAYS} days, ${count(failed)} without success.`,
        x: timeTicks(periods.starts[0] ?? 0, periods.endMs, times.zone),
        y: axis.ticks,
        shapes: RESULTS.map(({ tone }, order) =>
          bars(
            days.map(({ runs }, at) => {
              const below = sumOf(runs.slice(0, order));
              return {
                at: (at + 0.5) * slot,
                bottom: below / axis.top,
                top: (below + (runs[order] ?? 0)) / axis.top,
              };
            }),
            tone,
            0.8 * slot,
          ),
        ),
        table: {
          head: ['Day', ...RESULTS.map(({ name }) => name)],
          rows: days.map(({ atMs, runs }, at) => ({
            at: (at + 0.5) * slot,
            cells: [times.text(atMs), ...runs.map((one) => count(one))],
          })),
        },
      },
      hasTables,
    );
  },
});

const RESULTS: readonly { readonly name: string; readonly tone: Tone; fits(row: DayRuns): boolean }[] = [
  { name: 'succeeded', tone: 'first', fits: (row) => isGood(row) },
  { name: 'killed', tone: 'warn', fits: ({ ended }) => ended === null },
  { name: 'failed', tone: 'bad', fits: ({ ended }) => hasFailed({ ended }) },
];

function isGood({ ended }: DayRuns): boolean {
  return ended !== null && !hasFailed({ ended });
}

function countRuns(rows: readonly DayRuns[], fits: (row: DayRuns) => boolean): number {
  return sumOf(rows.filter(fits).map(({ runs }) => runs));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

const DAYS = 60;
