import { count, percent } from '../../report/figures.ts';
import { numberAxis } from '../chart/axis.ts';
import { bar, chartFigure, moment } from '../chart/chart.ts';
import { type Html, html } from '../html.ts';
import { compact, roughly } from '../page_figures.ts';
import { AGE_CLASSES, type Overview } from '../page_reader.ts';
import type { PageSettings } from '../page_settings.ts';

/** How old what the mirror holds is, against the ages at which it is asked for again. */
export function freshnessChart({ ages }: Overview, { maxAge }: PageSettings): Html {
  const axis = numberAxis(
    Math.max(1, ...ages.flatMap(({ records, summaries }) => [records, summaries])),
    compact,
  );
  const slot = 1 / ages.length;
  const due = placeOf(maxAge.recordsMs) * slot;
  const all = ages.reduce((sum, { records }) => sum + records, 0);
  const fresh = ages
    .filter((_, at) => (AGE_CLASSES[at]?.ms ?? Number.POSITIVE_INFINITY) <= maxAge.recordsMs)
    .reduce((sum, { records }) => sum + records, 0);
  const labels = [...AGE_CLASSES.map(({ label }) => label)];
  return chartFigure({
    id: 'freshness',
    title: 'Freshness',
    reading:
      all === 0
        ? 'no records yet'
        : html`${percent(fresh / all)} of the records are younger than ${roughly(maxAge.recordsMs)}`,
    description: 'How many records and list items were last seen how long ago.',
    legend: [
      { name: 'records, by their age', tone: 'first' },
      { name: 'list items, by theirs', tone: 'second' },
    ],
    x: labels.map((label, at) => ({ at: (at + 1) * slot, label, isMinor: at % 2 === 0 })),
    y: axis.ticks,
    marks: [
      moment(due, `records due at ${roughly(maxAge.recordsMs)}`),
      ...ages.flatMap(({ records, summaries }, at) => [
        bar((at + 0.14) * slot, 0.34 * slot, 0, records / axis.top, 'first'),
        bar((at + 0.52) * slot, 0.34 * slot, 0, summaries / axis.top, 'second'),
      ]),
    ],
    table: {
      head: ['Last seen', 'Records', 'List items'],
      rows: ages.map(({ records, summaries }, at) => ({
        at: (at + 0.5) * slot,
        cells: [classInWords(at), count(records), count(summaries)],
      })),
    },
  });
}

/** Where an age stands on the scale of classes; 0 is now, 1 the end of the first class. */
function placeOf(ageMs: number): number {
  const at = AGE_CLASSES.findIndex(({ ms }) => ageMs <= ms);
  if (at === -1) return AGE_CLASSES.length + 0.5;
  const from = AGE_CLASSES[at - 1]?.ms ?? 0;
  const to = AGE_CLASSES[at]?.ms ?? ageMs;
  return at + (ageMs - from) / (to - from);
}

function classInWords(at: number): string {
  const upper = AGE_CLASSES[at];
  const lower = AGE_CLASSES[at - 1];
  if (upper === undefined) return `over ${roughly(lower?.ms ?? 0)} ago`;
  return lower === undefined
    ? `within ${roughly(upper.ms)}`
    : `${roughly(lower.ms)} to ${roughly(upper.ms)} ago`;
}
