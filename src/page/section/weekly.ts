import { WEEK_MS } from '../../durations.ts';
import { count } from '../../report/figures.ts';
import { resultsByDay } from '../../warehouse/page_queries.ts';
import type { Tone } from '../chart/chart.ts';
import { periodChart } from '../chart/period_chart.ts';
import { periodsUntil } from '../chart/periods.ts';
import { defineSection } from './section.ts';

/** New, changed and gone companies per week. */
export const weeklySection = defineSection({
  id: 'weekly',
  title: 'New, changed and gone',
  group: 'charts',
  shownIf: 'filled',
  open({ db }) {
    const read = resultsByDay(db);
    return (snapshot) => ({ ...snapshot, days: read(snapshot.nowMs - MAX_WEEKS * WEEK_MS) });
  },
  render({ nowMs, range, firstCallMs, days }, { id, title, ...context }) {
    const { zone } = context.times;
    const ageWeeks = Math.ceil((nowMs - (firstCallMs ?? nowMs)) / WEEK_MS) + 1;
    const weeks = Math.min(range === null ? WEEKS : MAX_WEEKS, Math.max(4, ageWeeks));
    const periods =
      range === null || range === 'all'
        ? periodsUntil(nowMs, { unit: 'week', zone, count: weeks })
        : periodsUntil(nowMs, { unit: 'day', zone, count: range === '24h' ? 2 : 30 });
    const series = KINDS.map(({ kind, tone }) => ({
      ...{ name: kind, tone },
      values: periods.starts.map((_, at) =>
        days
          .filter(({ day }) => periods.indexOf(Date.parse(day)) === at)
          .reduce((sum, day) => sum + day[kind], 0),
      ),
    }));
    const now = series.map(({ name, values }) => `${count(values.at(-1) ?? 0)} ${name}`).join(', ');
    const { unit } = periods;
    return periodChart(
      {
        ...{ id, title: `${title} per ${unit}`, reading: `this ${unit}: ${now}`, periods, series },
        description: `Companies per ${unit}. This ${unit}: ${now}.`,
        bars: 'side_by_side',
      },
      context,
    );
  },
});

const KINDS: readonly { readonly kind: 'new' | 'changed' | 'gone'; readonly tone: Tone }[] = [
  { kind: 'new', tone: 'first' },
  { kind: 'changed', tone: 'second' },
  { kind: 'gone', tone: 'bad' },
];
const WEEKS = 26;
const MAX_WEEKS = 104;
