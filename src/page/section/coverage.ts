import { byStretch } from '../../report/call_history.ts';
import { count } from '../../report/figures.ts';
import { chartFigure } from '../chart.ts';
import { endValues, inPeriods, periodRows, periodsOf } from '../periods.ts';
import type { Section } from './section.ts';

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
    const stretches = inPeriods(periods, byStretch(hours), ({ atMs }) => atMs);
    const sum = (of: 'found' | 'records') =>
      stretches.map((own) => own.reduce((all, stretch) => all + stretch[of], 0));
    const knownAt = endValues(known - gone, sum('found'));
    const fetchedAt = endValues(fetched, sum('records'));
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
