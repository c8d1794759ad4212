import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { byStretch, OUTCOME_GROUPS } from '../../report/call_history.ts';
import { count, counted } from '../../report/figures.ts';
import { callBuckets } from '../../warehouse/call_counts.ts';
import { chartFigure } from '../chart/chart.ts';
import { inPeriods, type Periods, periodRows, periodsUntil } from '../chart/periods.ts';
import type { PageSnapshot } from '../page_snapshot.ts';
import type { Section } from './section.ts';

/** Calls by outcome: per day over 60 days, or per minute while a run is in progress. */
export const callsSection: Section = {
  id: 'calls',
  title: 'Calls',
  group: 'charts',
  shownIf: 'always',
  draw({ snapshot, db, settings, times }, { id, title }) {
    const { nowMs, hours } = snapshot;
    const periods = periodsOf(snapshot, times.zone);
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
      series: groups.map(({ group }) => ({ name: group, tone: TONES[group], as: 'bar' })),
      ...periodRows(
        periods,
        columns.map((_, at) => groups.map(({ values }) => values[at] ?? 0)),
        times,
      ),
      limit:
        perMinute !== null && perMinute <= highest * 3
          ? { value: perMinute, name: `${count(perMinute)} per minute` }
          : null,
    });
  },
};

function periodsOf({ nowMs, working, range, firstCallMs }: PageSnapshot, zone: string): Periods {
  if (range === '24h') return periodsUntil(nowMs, { unit: 'hour', count: 24, zone });
  if (range === '30d') return periodsUntil(nowMs, { unit: 'day', count: 30, zone });
  if (range === null && working !== null) return periodsUntil(nowMs, { unit: 'minute', count: 60, zone });
  const days = Math.ceil((nowMs - (firstCallMs ?? nowMs)) / DAY_MS) + 1;
  if (range === null || days <= DAYS) return periodsUntil(nowMs, { unit: 'day', count: DAYS, zone });
  return periodsUntil(nowMs, { unit: 'week', count: Math.min(MAX_WEEKS, Math.ceil(days / 7)), zone });
}

const TONES = { answered: 'good', rejected: 'warn', failed: 'bad', unsent: 'muted' } as const;
const DAYS = 60;
const MAX_WEEKS = 104;
