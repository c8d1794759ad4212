import { DAY_MS } from '../../durations.ts';
import { count, counted } from '../../report/figures.ts';
import { hasFailed } from '../../report/run_ending.ts';
import { type DayRuns, runsByDay } from '../../warehouse/run.ts';
import { chartFigure } from '../chart.ts';
import { inPeriods, periodRows, periodsUntil } from '../periods.ts';
import type { Section } from './section.ts';

/** The runs of each day, by result. */
export const runHistorySection: Section = {
  id: 'run-history',
  title: 'Runs per day',
  group: 'charts',
  shownIf: 'filled',
  draw({ snapshot: { nowMs, working }, db, times }, { id, title }) {
    const all = runsByDay(db, nowMs - DAYS * DAY_MS);
    const days = working === null ? all : withoutRunning(all);
    const periods = periodsUntil(nowMs, { unit: 'day', count: DAYS, zone: times.zone });
    const values = inPeriods(periods, days, ({ day }) => Date.parse(day)).map((rows) =>
      RESULTS.map(({ fits }) => countRuns(rows.filter(fits))),
    );
    const bad = countRuns(days.filter((row) => !isGood(row)));
    return chartFigure({
      id,
      title,
      reading: `${counted(countRuns(days), 'run')} in ${DAYS} days, ${count(bad)} without success`,
      series: RESULTS,
      ...periodRows(periods, values, times),
    });
  },
};

/** The latest run without an end is the one that holds the lock. */
function withoutRunning(days: readonly DayRuns[]): DayRuns[] {
  const latest = days.findLast(({ ended }) => ended === null);
  return days.map((row) => (row === latest ? { ...row, runs: row.runs - 1 } : row));
}

const isGood = ({ ended }: DayRuns) => ended !== null && !hasFailed({ ended });

const RESULTS = [
  { name: 'succeeded', tone: 'good', fits: isGood },
  { name: 'killed', tone: 'warn', fits: ({ ended }: DayRuns) => ended === null },
  { name: 'failed', tone: 'bad', fits: ({ ended }: DayRuns) => hasFailed({ ended }) },
] as const;

function countRuns(rows: readonly DayRuns[]): number {
  return rows.reduce((sum, { runs }) => sum + runs, 0);
}

const DAYS = 60;
