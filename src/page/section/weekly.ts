import { WEEK_MS } from '../../durations.ts';
import { count } from '../../report/figures.ts';
import { resultsByDay } from '../../warehouse/page_queries.ts';
import { numberAxis, timeTicks } from '../chart/axis.ts';
import { bars, chartFigure, type Tone } from '../chart/chart.ts';
import { periodsUntil } from '../chart/periods.ts';
import { html } from '../html.ts';
import { compact } from '../page_figures.ts';
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
  render({ nowMs, range, firstCallMs, days }, { id, title, times, hasTables }) {
    const ageWeeks = Math.ceil((nowMs - (firstCallMs ?? nowMs)) / WEEK_MS) + 1;
    const periods =
      range === null || range === 'all'
        ? periodsUntil(nowMs, {
            ...{ unit: 'week', zone: times.zone },
            count: Math.min(range === null ? WEEKS : MAX_WEEKS, Math.max(4, ageWeeks)),
          })
        : periodsUntil(nowMs, { unit: 'day', count: range === '24h' ? 2 : 30, zone: times.zone });
    const weeks = periods.starts.map((atMs, at) => {
      const own = days.filter((day) => periods.indexOf(Date.parse(day.day)) === at);
      const sum = (kind: Kind) => own.reduce((total, day) => total + day[kind], 0);
      return { atMs, new: sum('new'), changed: sum('changed'), gone: sum('gone') };
    });
    const axis = numberAxis(
      Math.max(1, ...weeks.flatMap((one) => KINDS.map(({ kind }) => one[kind]))),
      compact,
    );
    const slot = 1 / weeks.length;
    const last = weeks.at(-1);
    const now = KINDS.map(({ kind }) => `${count(last?.[kind] ?? 0)} ${kind}`).join(', ');
    return chartFigure(
      {
        id,
        title: `${title} per ${periods.unit}`,
        reading: html`this ${periods.unit}: ${now}`,
        description: `Companies per ${periods.unit}. This ${periods.unit}: ${now}.`,
        legend: KINDS.map(({ kind, tone }) => ({ name: kind, tone })),
        x: timeTicks(periods.starts[0] ?? 0, periods.endMs, times.zone),
        y: axis.ticks,
        shapes: KINDS.map(({ kind, tone }, place) =>
          bars(
            weeks.map((one, at) => ({
              at: (at + 0.23 + 0.27 * place) * slot,
              ...{ bottom: 0, top: one[kind] / axis.top },
            })),
            tone,
            0.25 * slot,
          ),
        ),
        table: {
          head: ['From', ...KINDS.map(({ kind }) => kind)],
          rows: weeks.map((one, at) => ({
            at: (at + 0.5) * slot,
            cells: [times.text(one.atMs), ...KINDS.map(({ kind }) => count(one[kind]))],
          })),
        },
      },
      hasTables,
    );
  },
});

type Kind = 'new' | 'changed' | 'gone';
const KINDS: readonly { readonly kind: Kind; readonly tone: Tone }[] = [
  { kind: 'new', tone: 'first' },
  { kind: 'changed', tone: 'second' },
  { kind: 'gone', tone: 'bad' },
];
const WEEKS = 26;
const MAX_WEEKS = 104;
