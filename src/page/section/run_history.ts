import { DAY_MS } from '../../durations.ts';
import { count, counted } from '../../report/figures.ts';
import { hasFailed } from '../../report/run_ending.ts';
import { type DayRuns, runsByDay } from '../../warehouse/page_queries.ts';
import type { Tone } from '../chart/chart.ts';
import { periodChart } from '../chart/period_chart.ts';
import { periodsUntil } from '../chart/periods.ts';
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
  render({ nowMs, rows }, { id, title, ...context }) {
    const periods = periodsUntil(nowMs, { unit: 'day', count: DAYS, zone: context.times.zone });
    const unsuccessful = countRuns(rows.filter((row) => !isGood(row)));
    const reading = `${counted(countRuns(rows), 'run')} in ${DAYS} days, ${count(unsuccessful)} without success`;
    const series = RESULTS.map(({ name, tone, fits }) => ({
      ...{ name, tone },
      values: periods.starts.map((_, at) =>
        countRuns(rows.filter((row) => fits(row) && periods.indexOf(Date.parse(row.day)) === at)),
      ),
    }));
    return periodChart(
      { id, title, reading, description: `${reading}.`, periods, series, bars: 'stacked' },
      context,
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

function countRuns(rows: readonly DayRuns[]): number {
  return rows.reduce((sum, { runs }) => sum + runs, 0);
}

const DAYS = 60;
