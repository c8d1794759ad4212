import { DateTime } from 'luxon';
import { DAY_MS } from '../durations.ts';
import type { ChartRow } from './chart.ts';
import type { Times } from './page_figures.ts';

/** The periods that the user can select for the charts. Without a selection, each chart uses its default. */
export const RANGES = ['24h', '30d', 'all'] as const;
export type Range = (typeof RANGES)[number];

/** Consecutive minutes, hours, local days or local weeks. The last period contains the current time. */
export interface Periods {
  readonly unit: 'minute' | 'hour' | 'day' | 'week';
  readonly starts: readonly number[];
}

export function periodsUntil(
  nowMs: number,
  { unit, count, zone }: { unit: Periods['unit']; count: number; zone: string },
): Periods {
  const last = DateTime.fromMillis(nowMs, { zone }).startOf(unit);
  return {
    unit,
    starts: Array.from({ length: count }, (_, at) => last.minus({ [unit]: count - 1 - at }).toMillis()),
  };
}

/** Returns the periods of a selected range. The whole time since `sinceMs` is shown in hours, days or weeks. */
export function periodsOf(range: Range, sinceMs: number, nowMs: number, zone: string): Periods {
  const days = Math.ceil((nowMs - sinceMs) / DAY_MS) + 1;
  if (range === '24h' || (range === 'all' && nowMs - sinceMs < DAY_MS))
    return periodsUntil(nowMs, { unit: 'hour', count: 24, zone });
  if (range === '30d' || days <= 30) return periodsUntil(nowMs, { unit: 'day', count: 30, zone });
  if (days <= MAX_DAYS) return periodsUntil(nowMs, { unit: 'day', count: days, zone });
  return periodsUntil(nowMs, {
    unit: 'week',
    count: Math.min(MAX_WEEKS, Math.ceil((days - 1) / 7) + 1),
    zone,
  });
}

/** Groups items by the period that contains their time. Earlier items are omitted. Items in order are grouped fastest. */
export function inPeriods<T>({ starts }: Periods, items: readonly T[], timeOf: (item: T) => number): T[][] {
  const groups: T[][] = starts.map(() => []);
  let at = 0;
  for (const item of items) {
    const atMs = timeOf(item);
    while ((starts[at + 1] ?? Infinity) <= atMs) at += 1;
    while (at > 0 && (starts[at] ?? 0) > atMs) at -= 1;
    if ((starts[at] ?? Infinity) <= atMs) groups[at]?.push(item);
  }
  return groups;
}

/**
 * Returns the value at the end of each period. They are computed backwards from the current value, so that they end at
 * it even if old items are missing. `added` is by how much the value rose in each period.
 */
export function endValues(nowValue: number, added: readonly number[]): number[] {
  let after = nowValue;
  return added
    .toReversed()
    .map((rise) => {
      const value = after;
      after = Math.max(0, after - rise);
      return value;
    })
    .reverse();
}

/** Returns the part of a chart that shows values of consecutive periods. */
export function periodRows(
  { unit, starts }: Periods,
  values: readonly (readonly (number | null)[])[],
  times: Times,
): { readonly rows: ChartRow[]; readonly rowHead: string } {
  const isShort = unit === 'minute' || unit === 'hour';
  const rows = starts.map((atMs, at) => ({
    label: times.text(atMs),
    tick: DateTime.fromMillis(atMs, { zone: times.zone }).toFormat(isShort ? 'HH:mm' : 'd LLL'),
    values: values[at] ?? [],
  }));
  return { rows, rowHead: 'From' };
}

const MAX_DAYS = 60;
export const MAX_WEEKS = 104;
