import { HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { byStretch, OUTCOME_GROUPS } from '../../report/call_history.ts';
import { count, counted } from '../../report/figures.ts';
import { callBuckets } from '../../warehouse/call_counts.ts';
import { chartFigure } from '../chart.ts';
import type { PageSnapshot } from '../page_snapshot.ts';
import { inPeriods, type Periods, periodRows, periodsOf, periodsUntil } from '../periods.ts';
import type { Section } from './section.ts';

/** Calls by outcome: per day over 60 days, or per minute while a run is in progress. */
export const callsSection: Section = {
  id: 'calls',
  title: 'Calls',
  group: 'charts',
  shownIf: 'always',
  draw({ snapshot, db, settings, times }, { id, title }) {
    const { nowMs, hours } = snapshot;
    const periods = shownPeriods(snapshot, times.zone);
    const isMinutes = periods.unit === 'minute';
    const lastHour = { fromMs: nowMs - 2 * HOUR_MS, toMs: nowMs + HOUR_MS, bucketMs: MINUTE_MS };
    const buckets = isMinutes ? callBuckets(db, lastHour) : hours;
    const columns = inPeriods(periods, byStretch(buckets), ({ atMs }) => atMs);
    const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
    const groups = OUTCOME_GROUPS.map((group) => ({
      group,
      values: columns.map((column) => sum(column.map(({ byGroup }) => byGroup[group]))),
    })).filter(({ group, values }) => group === 'answered' || sum(values) > 0);
    const made = sum(columns.flat().map(({ calls }) => calls));
    const highest = Math.max(1, ...columns.map((_, at) => sum(groups.map(({ values }) => values[at] ?? 0))));
    const perMinute = isMinutes ? settings.allowance.perMinute : null;
    const limit = perMinute === null ? '' : `; limit: ${count(perMinute)} per minute`;
    return chartFigure({
      id,
      title: `${title} per ${periods.unit}`,
      reading: `${counted(made, 'call')} in the last ${counted(columns.length, periods.unit)}${limit}`,
      series: groups.map(({ group }) => ({ name: group, tone: TONES[group] })),
      ...periodRows(
        periods,
        columns.map((_, at) => groups.map(({ values }) => values[at] ?? 0)),
        times,
      ),
      level:
        perMinute !== null && perMinute <= highest * 3
          ? { value: perMinute, name: `${count(perMinute)} per minute` }
          : null,
    });
  },
};

function shownPeriods({ nowMs, working, range, firstCallMs }: PageSnapshot, zone: string): Periods {
  if (range !== null) return periodsOf(range, firstCallMs ?? nowMs, nowMs, zone);
  if (working !== null) return periodsUntil(nowMs, { unit: 'minute', count: 60, zone });
  return periodsUntil(nowMs, { unit: 'day', count: DAYS, zone });
}

const TONES = { answered: 'good', rejected: 'warn', failed: 'bad', unsent: 'muted' } as const;
const DAYS = 60;
