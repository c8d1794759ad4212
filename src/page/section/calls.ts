import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { byStretch, OUTCOME_GROUPS, type OutcomeGroup, type Stretch } from '../../report/call_history.ts';
import { count, counted } from '../../report/figures.ts';
import { type CallBucket, callBuckets } from '../../warehouse/page_queries.ts';
import type { Tone } from '../chart/chart.ts';
import { periodChart } from '../chart/period_chart.ts';
import { type Periods, periodsUntil } from '../chart/periods.ts';
import { html } from '../html.ts';
import type { PageSnapshot } from '../page_snapshot.ts';
import { defineSection } from './section.ts';

/** Calls by outcome: per day over 60 days, or per minute while a run is in progress. */
export const callsSection = defineSection({
  id: 'calls',
  title: 'Calls',
  group: 'charts',
  shownIf: 'always',
  open({ db }) {
    const readBuckets = callBuckets(db);
    return (snapshot) => ({ snapshot, minutes: readBuckets(lastHour(snapshot)) });
  },
  render({ snapshot, minutes }, { id, title, settings, ...context }) {
    const periods = periodsOf(snapshot, context.times.zone);
    const isMinutes = periods.unit === 'minute';
    const columns = stretchesIn(periods, isMinutes ? minutes : snapshot.hours);
    const perMinute = isMinutes ? settings.allowance.perMinute : null;
    const made = columns.reduce((sum, { calls }) => sum + calls, 0);
    const over = `in the last ${counted(columns.length, periods.unit)}`;
    const series = OUTCOME_GROUPS.map((group) => ({
      ...{ name: group, tone: TONES[group] },
      values: columns.map(({ byGroup }) => byGroup[group]),
    })).filter(({ name, values }) => name === 'answered' || values.some((value) => value > 0));
    const highest = Math.max(1, ...columns.map(countAll));
    return periodChart(
      {
        ...{ id, title: `${title} per ${periods.unit}`, periods, series, bars: 'stacked' },
        reading: html`${counted(made, 'call')} ${over}${perMinute !== null && html`; limit: ${count(perMinute)} per minute`}`,
        description: `${counted(made, 'call')} ${over}, by outcome.`,
        ...(perMinute !== null &&
          perMinute <= highest * 3 && {
            limit: { at: perMinute, name: `${count(perMinute)} per minute` },
          }),
      },
      context,
    );
  },
});

function periodsOf({ nowMs, working, range, firstCallMs }: PageSnapshot, zone: string): Periods {
  if (range === '24h') return periodsUntil(nowMs, { unit: 'hour', count: 24, zone });
  if (range === '30d') return periodsUntil(nowMs, { unit: 'day', count: 30, zone });
  if (range === null && working !== null) return periodsUntil(nowMs, { unit: 'minute', count: 60, zone });
  const days = Math.ceil((nowMs - (firstCallMs ?? nowMs)) / DAY_MS) + 1;
  if (range === null || days <= DAYS) return periodsUntil(nowMs, { unit: 'day', count: DAYS, zone });
  return periodsUntil(nowMs, { unit: 'week', count: Math.min(MAX_WEEKS, Math.ceil(days / 7)), zone });
}

/** Counts the calls in each period. */
function stretchesIn(periods: Periods, buckets: readonly CallBucket[]): Stretch[] {
  const within = buckets.flatMap((bucket) => {
    const atMs = periods.starts[periods.indexOf(bucket.atMs)];
    return atMs === undefined ? [] : [{ ...bucket, atMs }];
  });
  const known = new Map(byStretch(within).map((stretch) => [stretch.atMs, stretch]));
  return periods.starts.map((atMs) => known.get(atMs) ?? emptyStretch(atMs));
}

function emptyStretch(atMs: number): Stretch {
  return {
    ...{ atMs, calls: 0, searches: 0, found: 0, records: 0 },
    byGroup: { answered: 0, rejected: 0, failed: 0, unsent: 0 },
  };
}

function countAll({ byGroup }: Stretch): number {
  return OUTCOME_GROUPS.reduce((sum, group) => sum + byGroup[group], 0);
}

function lastHour({ nowMs }: PageSnapshot) {
  return { fromMs: nowMs - 2 * HOUR_MS, toMs: nowMs + HOUR_MS, bucketMs: MINUTE_MS };
}

const TONES = {
  answered: 'first',
  rejected: 'warn',
  failed: 'bad',
  unsent: 'muted',
} as const satisfies Record<OutcomeGroup, Tone>;
const DAYS = 60;
const MAX_WEEKS = 104;
