import { DateTime } from 'luxon';
import { DAY_MS } from '../../durations.ts';
import type { Times } from '../page_figures.ts';
import { timeTicks } from './axis.ts';
import type { Chart } from './chart.ts';

/** The periods that the user can select for the charts. Without a selection, each chart uses its default. */
export const RANGES = {
  '24h': DAY_MS,
  '30d': 30 * DAY_MS,
  all: Number.POSITIVE_INFINITY,
} as const;
export type Range = keyof typeof RANGES;

export function rangeOf(text: string | null): Range | null {
  return text !== null && Object.hasOwn(RANGES, text) ? (text as Range) : null;
}

/** Consecutive minutes, hours, local days or local weeks. The last period contains the current time. */
export interface Periods {
  readonly unit: 'minute' | 'hour' | 'day' | 'week';
  readonly starts: readonly number[];
  /** When the last period ends. */
  readonly endMs: number;
}

export function periodsUntil(
  nowMs: number,
  { unit, count, zone }: { unit: Periods['unit']; count: number; zone: string },
): Periods {
  const last = DateTime.fromMillis(nowMs, { zone }).startOf(unit);
  const starts = Array.from({ length: count }, (_, at) => last.minus({ [unit]: count - 1 - at }).toMillis());
  return { unit, starts, endMs: last.plus({ [unit]: 1 }).toMillis() };
}

/** Groups items by the period that contains their time. Earlier items are omitted. */
export function inPeriods<T>({ starts }: Periods, items: readonly T[], timeOf: (item: T) => number): T[][] {
  const groups: T[][] = starts.map(() => []);
  for (const item of items) groups[starts.findLastIndex((startMs) => startMs <= timeOf(item))]?.push(item);
  return groups;
}

/** Returns the part of a chart that shows values of consecutive periods. */
export function periodRows(
  { starts, endMs }: Periods,
  values: readonly (readonly number[])[],
  times: Times,
): Pick<Chart, 'rows' | 'rowHead' | 'ticks'> {
  const rows = starts.map((atMs, at) => ({
    at: (at + 0.5) / starts.length,
    label: times.text(atMs),
    values: values[at] ?? [],
  }));
  return { rows, rowHead: 'From', ticks: timeTicks(starts[0] ?? 0, endMs, times.zone) };
}
