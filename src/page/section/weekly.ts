import { WEEK_MS } from '../../durations.ts';
import { count } from '../../report/figures.ts';
import { resultsByDay } from '../../warehouse/run.ts';
import { chartFigure } from '../chart.ts';
import { inPeriods, MAX_WEEKS, periodRows, periodsUntil } from '../periods.ts';
import type { Section } from './section.ts';

/** New, changed and gone companies per week. */
export const weeklySection: Section = {
  id: 'weekly',
  title: 'New, changed and gone',
  group: 'charts',
  shownIf: 'filled',
  draw({ snapshot: { nowMs, range, firstCallMs }, db, times }, { id, title }) {
    const { zone } = times;
    const ageWeeks = Math.ceil((nowMs - (firstCallMs ?? nowMs)) / WEEK_MS) + 1;
    const weeks = Math.min(range === null ? WEEKS : MAX_WEEKS, Math.max(4, ageWeeks));
    const periods =
      range === null || range === 'all'
        ? periodsUntil(nowMs, { unit: 'week', zone, count: weeks })
        : periodsUntil(nowMs, { unit: 'day', zone, count: range === '24h' ? 2 : 30 });
    const days = resultsByDay(db, nowMs - MAX_WEEKS * WEEK_MS);
    const values = inPeriods(periods, days, ({ day }) => Date.parse(day)).map((own) =>
      KINDS.map(({ name }) => own.reduce((sum, day) => sum + day[name], 0)),
    );
    const now = KINDS.map(({ name }, at) => `${count(values.at(-1)?.[at] ?? 0)} ${name}`);
    return chartFigure({
      id,
      title: `${title} per ${periods.unit}`,
      reading: `this ${periods.unit}: ${now.join(', ')}`,
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
