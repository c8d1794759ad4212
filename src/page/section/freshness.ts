import { duration, percent } from '../../report/figures.ts';
import { chartFigure } from '../chart.ts';
import { AGE_CLASSES } from '../page_snapshot.ts';
import type { Section } from './section.ts';

/** Records and list items by age. The summary compares the records' ages with their maximum age. */
export const freshnessSection: Section = {
  id: 'freshness',
  title: 'Freshness',
  group: 'charts',
  shownIf: 'filled',
  draw({ snapshot: { ages }, settings }, { id, title }) {
    const maxAgeMs = settings.config.max_age.records.ms;
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
