import { growth } from '../../report/call_history.ts';
import { count } from '../../report/figures.ts';
import { totalsSeen } from '../../warehouse/registry_stats.ts';
import { timeTicks } from '../chart/axis.ts';
import { chartFigure, type Series } from '../chart/chart.ts';
import { RANGES } from '../chart/periods.ts';
import type { Section } from './section.ts';

/** Known companies and fetched records over time, compared with the registry count. */
export const coverageSection: Section = {
  id: 'coverage',
  title: 'Registry size',
  group: 'charts',
  shownIf: 'filled',
  draw({ snapshot, db, times }, { id, title }) {
    const { nowMs, range, calls, stretchMs } = snapshot;
    const { known, gone, fetched } = snapshot.mirror.coverage;
    const whole = growth(calls, { atMs: nowMs, known: known - gone, fetched }, stretchMs);
    const startMs = nowMs - RANGES[range ?? 'all'];
    const before = whole.findLast(({ atMs }) => atMs < startMs);
    const later = whole.filter(({ atMs }) => atMs >= startMs);
    const curve = before === undefined ? later : [{ ...before, atMs: startMs }, ...later];
    const counts = totalsSeen(db, MAX_TOTALS)
      .filter(({ total }) => total !== null)
      .map(({ observedAt, total }) => ({ atMs: Date.parse(observedAt), total }));
    const fromMs = curve[0]?.atMs ?? nowMs;
    const series: Series[] = [
      { name: 'known companies', tone: 'good', as: 'area' },
      { name: 'records', tone: 'second', as: 'line' },
    ];
    if (counts.length > 0) series.push({ name: 'registry count', tone: 'muted', as: 'step' });
    return chartFigure({
      id,
      title,
      reading: `${count(known - gone)} known, ${count(fetched)} with records`,
      series,
      rowHead: 'Until',
      rows: curve.map((point) => ({
        at: Math.max(0, Math.min(1, (point.atMs - fromMs) / Math.max(1, nowMs - fromMs))),
        label: times.text(point.atMs),
        // The counts are ordered from the latest to the earliest.
        values: [
          point.known,
          point.fetched,
          ...(counts.length > 0 ? [counts.find(({ atMs }) => atMs <= point.atMs)?.total ?? null] : []),
        ],
      })),
      ticks: timeTicks(fromMs, nowMs, times.zone),
    });
  },
};

const MAX_TOTALS = 400;
