import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { byStretch, OUTCOME_GROUPS, type OutcomeGroup, type Stretch } from '../../report/call_history.ts';
import { count, counted } from '../../report/figures.ts';
import { type CallBucket, callBuckets } from '../../warehouse/page_queries.ts';
import { numberAxis, timeTicks } from '../chart/axis.ts';
import { bars, chartFigure, horizontalRule, type Tone } from '../chart/chart.ts';
import { type Periods, periodsUntil } from '../chart/periods.ts';
import { type Html, html } from '../html.ts';
import { compact } from '../page_figures.ts';
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
  render({ snapshot, minutes }, { id, title, settings, times, hasTables }) {
    const periods = periodsOf(snapshot, times.zone);
    const columns = stretchesIn(periods, periods.unit === 'minute' ? minutes : snapshot.hours);
    const perMinute = periods.unit === 'minute' ? settings.allowance.perMinute : null;
    const highest = Math.max(1, ...columns.map(countAll));
    const showsLimit = perMinute !== null && perMinute <= highest * 3;
    const axis = numberAxis(showsLimit ? Math.max(highest, perMinute) : highest, compact);
    const made = columns.reduce((sum, { calls }) => sum + calls, 0);
    const slot = 1 / columns.length;
    const over = `in the last ${counted(columns.length, periods.unit)}`;
    const groups = OUTCOME_GROUPS.filter(
      (group) => group === 'answered' || columns.some((one) => one.byGroup[group] > 0),
    );
    return chartFigure(
      {
        id,
        title: `${title} per ${periods.unit}`,
        reading: html`${counted(made, 'call')} ${over}${perMinute !== null && html`; limit: ${count(perMinute)} per minute`}`,
        description: `${counted(made, 'call')} ${over}, by outcome.`,
        legend: groups.map((group) => ({ name: group, tone: TONES[group] })),
        x: timeTicks(periods.starts[0] ?? 0, periods.endMs, times.zone),
        y: axis.ticks,
        shapes: [
          ...stackedBars(columns, axis.top),
          showsLimit ? horizontalRule(perMinute / axis.top, `${count(perMinute)} per minute`) : html``,
        ],
        table: {
          head: ['From', ...groups],
          rows: columns
            .map((one, at) => ({ one, at: (at + 0.5) * slot }))
            .filter(({ one }, at) => countAll(one) > 0 || at === columns.length - 1)
            .map(({ one, at }) => ({
              at,
              cells: [times.text(one.atMs), ...groups.map((group) => count(one.byGroup[group]))],
            })),
        },
      },
      hasTables,
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

/** Draws one column for each period, with one stacked bar for each group of outcomes. */
function stackedBars(stretches: readonly Stretch[], top: number): Html[] {
  const slot = 1 / stretches.length;
  return OUTCOME_GROUPS.map((group, order) => {
    const columns = stretches.map(({ byGroup }, at) => {
      const below = OUTCOME_GROUPS.slice(0, order).reduce((sum, one) => sum + byGroup[one], 0);
      return { at: (at + 0.5) * slot, bottom: below / top, top: (below + byGroup[group]) / top };
    });
    return bars(columns, TONES[group], 0.8 * slot);
  });
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
