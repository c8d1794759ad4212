import type { WindowState } from '../../allowance/ledger.ts';
import { windowLengthMs, windowRow } from '../../allowance/window_table.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../../durations.ts';
import { hasFailed } from '../../ending.ts';
import { count, counted, duration, percent } from '../../report/figures.ts';
import { type CallBucket, callBuckets } from '../../warehouse/call_counts.ts';
import { type DayRuns, runsByDay } from '../../warehouse/run.ts';
import { chartFigure } from '../chart.ts';
import { type Html, html } from '../html.ts';
import { AGE_CLASSES, type PageSnapshot } from '../page_snapshot.ts';
import {
  endValues,
  inPeriods,
  MAX_WEEKS,
  type Periods,
  periodRows,
  periodsOf,
  periodsUntil,
} from '../periods.ts';
import type { Section, SectionContext } from './section.ts';

/** Known companies with and without a record over time, compared with the registry count. */
export const coverageSection: Section = {
  id: 'coverage',
  title: 'Registry size',
  group: 'charts',
  shownIf: 'filled',
  draw({ snapshot, times }, { id, title }) {
    const { nowMs, range, hours, firstCallMs } = snapshot;
    const { known, gone, fetched, registryTotal } = snapshot.mirror.coverage;
    const periods = periodsOf(range ?? 'all', firstCallMs ?? nowMs, nowMs, times.zone);
    const newRows = (by: 'search' | 'entity') =>
      sumsIn(periods, hours, ({ kind, fresh }) => (kind === by ? fresh : 0));
    const knownAt = endValues(known - gone, newRows('search'));
    const fetchedAt = endValues(fetched, newRows('entity'));
    return chartFigure({
      id,
      title,
      reading: `${count(known - gone)} known, ${count(fetched)} with records`,
      series: [
        { name: 'with record', tone: 'good' },
        { name: 'without record', tone: 'second' },
      ],
      ...periodRows(
        periods,
        fetchedAt.map((records, at) => [records, Math.max(0, (knownAt[at] ?? 0) - records)]),
        times,
      ),
      level:
        registryTotal === null
          ? null
          : { value: registryTotal, name: `registry count ${count(registryTotal)}` },
    });
  },
};

/** Adds up a figure of the calls in each period. */
function sumsIn(
  periods: Periods,
  buckets: readonly CallBucket[],
  of: (bucket: CallBucket) => number,
): number[] {
  return inPeriods(periods, buckets, ({ atMs }) => atMs).map((own) =>
    own.reduce((sum, bucket) => sum + of(bucket), 0),
  );
}

/** Calls by outcome: per day over 60 days, or per minute while a run is in progress. */
export const callsSection: Section = {
  id: 'calls',
  title: 'Calls',
  group: 'charts',
  shownIf: 'always',
  draw({ snapshot, db, config, times }, { id, title }) {
    const { nowMs, hours } = snapshot;
    const periods = shownPeriods(snapshot, times.zone);
    const isMinutes = periods.unit === 'minute';
    const lastHour = { fromMs: nowMs - 2 * HOUR_MS, toMs: nowMs + HOUR_MS, bucketMs: MINUTE_MS };
    const buckets = isMinutes ? callBuckets(db, lastHour) : hours;
    const groups = OUTCOME_GROUPS.map((group) => ({
      group,
      values: sumsIn(periods, buckets, ({ outcome, calls }) => (groupOf(outcome) === group ? calls : 0)),
    })).filter(({ group, values }) => group === 'answered' || values.some((value) => value > 0));
    const rows = periods.starts.map((_, at) => groups.map(({ values }) => values[at] ?? 0));
    const totals = rows.map((values) => values.reduce((sum, one) => sum + one, 0));
    const made = totals.reduce((sum, one) => sum + one, 0);
    const highest = Math.max(1, ...totals);
    const perMinute = isMinutes ? config.allowance.per_minute : null;
    const limit = perMinute === null ? '' : `; limit: ${count(perMinute)} per minute`;
    return chartFigure({
      id,
      title: `${title} per ${periods.unit}`,
      reading: `${counted(made, 'call')} in the last ${counted(rows.length, periods.unit)}${limit}`,
      series: groups.map(({ group }) => ({ name: group, tone: TONES[group] })),
      ...periodRows(periods, rows, times),
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
  return periodsUntil(nowMs, { unit: 'day', count: CALL_DAYS, zone });
}

/** Groups of outcomes, so few that each has a colour that differs clearly. */
const OUTCOME_GROUPS = ['answered', 'rejected', 'failed'] as const;

function groupOf(outcome: string): (typeof OUTCOME_GROUPS)[number] {
  switch (outcome) {
    case 'ok':
    case 'received':
    case 'absent':
    case 'gone':
      return 'answered';
    case 'throttled':
    case 'exhausted':
      return 'rejected';
    default:
      return 'failed';
  }
}

const TONES = { answered: 'good', rejected: 'warn', failed: 'bad' } as const;
const CALL_DAYS = 60;

/** New, changed and gone companies per week. */
export const weeklySection: Section = {
  id: 'weekly',
  title: 'New, changed and gone',
  group: 'charts',
  shownIf: 'filled',
  draw({ snapshot: { nowMs, range, firstCallMs, trends }, db, times }, { id, title }) {
    const { zone } = times;
    const ageWeeks = Math.ceil((nowMs - (firstCallMs ?? nowMs)) / WEEK_MS) + 1;
    const weeks = Math.min(range === null ? WEEKS : MAX_WEEKS, Math.max(4, ageWeeks));
    const periods =
      range === null || range === 'all'
        ? periodsUntil(nowMs, { unit: 'week', zone, count: weeks })
        : periodsUntil(nowMs, { unit: 'day', zone, count: range === '24h' ? 2 : 30 });
    const days = runsByDay(db, nowMs - MAX_WEEKS * WEEK_MS);
    const values = inPeriods(periods, days, ({ day }) => Date.parse(day)).map((own) =>
      KINDS.map(({ name }) => own.reduce((sum, day) => sum + day[name], 0)),
    );
    const week = KINDS.map(({ name }) => `${count(trends.week[name])} ${name}`);
    return chartFigure({
      id,
      title: `${title} per ${periods.unit}`,
      reading: `last 7 days: ${week.join(', ')}`,
      series: KINDS,
      isGrouped: true,
      ...periodRows(periods, values, times),
    });
  },
};

const KINDS = [
  { name: 'new', tone: 'good' },
  { name: 'changed', tone: 'second' },
  { name: 'gone', tone: 'bad' },
] as const;
const WEEKS = 26;

/** The remaining quota in each allowance window over time. The key figures have the forecast. */
export const allowanceSection: Section = {
  id: 'allowance',
  title: 'Allowance',
  group: 'charts',
  shownIf: 'always',
  draw(context, section) {
    const { windows, spentEver } = context.snapshot.allowance.scheduled;
    // Short windows are omitted, because the key figures already show their quota.
    const long = windows.filter(({ name }) => windowLengthMs(windowRow(name)) > DAY_MS);
    const shown = long.length === 0 ? windows.slice(0, 1) : long;
    if (shown.length > 0) return shown.map((window) => quotaLeft(window, context, section));
    return html`<article id="${section.id}"><h3>${section.title}</h3><p>No allowance is configured, so only the rate is limited. Calls so far: ${count(spentEver)}.</p></article>`;
  },
};

function quotaLeft(window: WindowState, { snapshot, times }: SectionContext, { id, title }: Section): Html {
  const { nowMs, range, firstCallMs, hours } = snapshot;
  const { name, limit, spent, sinceMs } = window;
  const left = Math.max(0, limit - spent);
  const fromMs = Math.max(sinceMs, firstCallMs ?? nowMs);
  const periods = periodsOf(range ?? 'all', fromMs, nowMs, times.zone);
  const calls = sumsIn(periods, hours, (bucket) => bucket.calls);
  const used = endValues(spent, calls);
  const firstAt = periods.starts.findLastIndex((startMs) => startMs <= fromMs);
  return chartFigure({
    id: `${id}-${name}`,
    title: `${title}: ${counted(limit, 'call')} ${windowRow(name).words.per}`,
    reading: `${count(left)} of ${count(limit)} left`,
    series: [{ name: 'calls left', tone: 'good' }],
    ...periodRows(
      periods,
      used.map((spentThen, at) => [at < firstAt ? null : Math.max(0, limit - spentThen)]),
      times,
    ),
  });
}

/** Records and list items by age. The summary compares the records' ages with their maximum age. */
export const freshnessSection: Section = {
  id: 'freshness',
  title: 'Freshness',
  group: 'charts',
  shownIf: 'filled',
  draw({ snapshot: { ages }, config }, { id, title }) {
    const maxAgeMs = config.max_age.records.ms;
    const all = ages.reduce((sum, { records }) => sum + records, 0);
    const fresh = ages
      .filter((_, at) => (AGE_CLASSES[at]?.ms ?? Infinity) <= maxAgeMs)
      .reduce((sum, { records }) => sum + records, 0);
    return chartFigure({
      id,
      title,
      reading:
        all === 0
          ? 'no records yet'
          : `${percent(fresh / all)} of the records are younger than ${duration(maxAgeMs)}`,
      series: [
        { name: 'records by age', tone: 'good' },
        { name: 'list items by age', tone: 'second' },
      ],
      isGrouped: true,
      rowHead: 'Last seen',
      rows: ages.map(({ records, summaries }, at) => ({ ...labelsOf(at), values: [records, summaries] })),
    });
  },
};

function labelsOf(at: number): { readonly label: string; readonly tick: string } {
  const upper = AGE_CLASSES[at];
  const lower = AGE_CLASSES[at - 1];
  if (upper === undefined)
    return { label: `over ${duration(lower?.ms ?? 0)} ago`, tick: `> ${lower?.label ?? ''}` };
  const label =
    lower === undefined
      ? `within ${duration(upper.ms)}`
      : `${duration(lower.ms)} to ${duration(upper.ms)} ago`;
  return { label, tick: `< ${upper.label}` };
}

/** The runs of each day, by result. */
export const runHistorySection: Section = {
  id: 'run-history',
  title: 'Runs per day',
  group: 'charts',
  shownIf: 'filled',
  draw({ snapshot: { nowMs, working }, db, times }, { id, title }) {
    const all = runsByDay(db, nowMs - RUN_DAYS * DAY_MS);
    const days = working === null ? all : withoutRunning(all);
    const periods = periodsUntil(nowMs, { unit: 'day', count: RUN_DAYS, zone: times.zone });
    const values = inPeriods(periods, days, ({ day }) => Date.parse(day)).map((rows) =>
      RESULTS.map(({ fits }) => countRuns(rows.filter(fits))),
    );
    const bad = countRuns(days.filter((row) => !isGood(row)));
    return chartFigure({
      id,
      title,
      reading: `${counted(countRuns(days), 'run')} ended in ${RUN_DAYS} days, ${count(bad)} without success`,
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

const RUN_DAYS = 60;
