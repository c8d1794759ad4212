import { DateTime } from 'luxon';
import { DAY_MS } from '../../durations.ts';

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
  /** Returns the index of the period that contains a time, or -1 if the time is before the first period. */
  indexOf(atMs: number): number;
}

export function periodsUntil(
  nowMs: number,
  { unit, count, zone }: { unit: Periods['unit']; count: number; zone: string },
): Periods {
  const last = DateTime.fromMillis(nowMs, { zone }).startOf(unit);
  const starts = Array.from({ length: count }, (_, at) => last.minus({ [unit]: count - 1 - at }).toMillis());
  return {
    unit,
    starts,
    endMs: last.plus({ [unit]: 1 }).toMillis(),
    indexOf: (atMs) => starts.findLastIndex((startMs) => startMs <= atMs),
  };
}
