import { percent } from '../../report/figures.ts';
import { chartFigure } from '../chart/chart.ts';
import { roughly } from '../page_figures.ts';
import { AGE_CLASSES } from '../page_snapshot.ts';
import type { Section } from './section.ts';

/** Records and list items by age, compared with the maximum age for records. */
export const freshnessSection: Section = {
  id: 'freshness',
  title: 'Freshness',
  group: 'charts',
  shownIf: 'filled',
  draw({ snapshot: { ages }, settings }, { id, title }) {
    const maxAgeMs = settings.config.max_age.records.ms;
    const slot = 1 / ages.length;
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
          : `${percent(fresh / all)} of the records are younger than ${roughly(maxAgeMs)}`,
      series: [
        { name: 'records by age', tone: 'good', as: 'bar' },
        { name: 'list items by age', tone: 'second', as: 'bar' },
      ],
      isGrouped: true,
      rowHead: 'Last seen',
      rows: ages.map(({ records, summaries }, at) => ({
        at: (at + 0.5) * slot,
        label: classText(at),
        values: [records, summaries],
      })),
      ticks: AGE_CLASSES.map(({ label }, at) => ({ at: (at + 1) * slot, label, isMinor: at % 2 === 0 })),
      mark: { at: classPosition(maxAgeMs) * slot, name: `records due at ${roughly(maxAgeMs)}` },
    });
  },
};

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
