import { count, percent } from '../../report/figures.ts';
import { numberAxis } from '../chart/axis.ts';
import { bars, chartFigure, verticalRule } from '../chart/chart.ts';
import { html } from '../html.ts';
import { compact, roughly } from '../page_figures.ts';
import { AGE_CLASSES } from '../page_snapshot.ts';
import { defineSection } from './section.ts';

/** Records and list items by age, compared with the maximum age for records. */
export const freshnessSection = defineSection({
  id: 'freshness',
  title: 'Freshness',
  group: 'charts',
  shownIf: 'filled',
  open:
    () =>
    ({ ages }) =>
      ages,
  render(ages, { id, title, settings: { maxAge }, hasTables }) {
    const axis = numberAxis(
      Math.max(1, ...ages.flatMap(({ records, summaries }) => [records, summaries])),
      compact,
    );
    const slot = 1 / ages.length;
    const due = classPosition(maxAge.recordsMs) * slot;
    const all = ages.reduce((sum, { records }) => sum + records, 0);
    const fresh = ages
      .filter((_, at) => (AGE_CLASSES[at]?.ms ?? Number.POSITIVE_INFINITY) <= maxAge.recordsMs)
      .reduce((sum, { records }) => sum + records, 0);
    return chartFigure(
      {
        id,
        title,
        reading:
          all === 0
            ? 'no records yet'
            : html`${percent(fresh / all)} of the records are younger than ${roughly(maxAge.recordsMs)}`,
        description: 'Records and list items by the time since they were last seen.',
        legend: [
          { name: 'records by age', tone: 'first' },
          { name: 'list items by age', tone: 'second' },
        ],
        x: AGE_CLASSES.map(({ label }, at) => ({ at: (at + 1) * slot, label, isMinor: at % 2 === 0 })),
        y: axis.ticks,
        shapes: [
          verticalRule(due, `records due at ${roughly(maxAge.recordsMs)}`),
          ...KINDS.map(({ kind, tone, place }) =>
            bars(
              ages.map((one, at) => ({ at: (at + place) * slot, bottom: 0, top: one[kind] / axis.top })),
              tone,
              0.34 * slot,
            ),
          ),
        ],
        table: {
          head: ['Last seen', 'Records', 'List items'],
          rows: ages.map(({ records, summaries }, at) => ({
            at: (at + 0.5) * slot,
            cells: [classText(at), count(records), count(summaries)],
          })),
        },
      },
      hasTables,
    );
  },
});

/** The bars in an age class. `place` is the position of the bar's centre, as a fraction of the class's width. */
const KINDS = [
  { kind: 'records', tone: 'first', place: 0.31 },
  { kind: 'summaries', tone: 'second', place: 0.69 },
] as const;

/**
 * Returns an age's position on the axis of age classes. Position 0 is now, and position n is the upper limit of class
 * n.
 */
function classPosition(ageMs: number): number {
  const at = AGE_CLASSES.findIndex(({ ms }) => ageMs <= ms);
  if (at === -1) return AGE_CLASSES.length + 0.5;
  const from = AGE_CLASSES[at - 1]?.ms ?? 0;
  const to = AGE_CLASSES[at]?.ms ?? ageMs;
  return at + (ageMs - from) / (to - from);
}

function classText(at: number): string {
  const upper = AGE_CLASSES[at];
  const lower = AGE_CLASSES[at - 1];
  if (upper === undefined) return `over ${roughly(lower?.ms ?? 0)} ago`;
  return lower === undefined
    ? `within ${roughly(upper.ms)}`
    : `${roughly(lower.ms)} to ${roughly(upper.ms)} ago`;
}
