import { CronExpressionParser } from 'cron-parser';
import { IANAZone } from 'luxon';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts';

/** A cron pattern in a time zone. */
export interface CronSchedule {
  readonly pattern: string;
  readonly timezone: string;
}

/**
 * Returns the first scheduled time after `afterMs`, in epoch milliseconds.
 *
 * Clock changes are handled as in cron(8). A pattern with fixed hours runs exactly once for each of its local times. A
 * local time that the clock skips is delayed by the size of the change. If a local time occurs twice, only the first
 * occurrence is used. A pattern that includes every hour follows elapsed time and ignores clock changes, but loses a
 * run on the night in which Lord Howe Island changes its clock by half an hour.
 */
export function nextTime({ pattern, timezone }: CronSchedule, afterMs: number): number {
  const inZone = expressionOf(pattern, timezone, afterMs);
  const isEveryHour = inZone.fields.hour.values.length === HOURS_A_DAY;
  return isEveryHour ? inZone.next().getTime() : nextLocalTime(pattern, timezone, afterMs);
}

/**
 * Returns the time between the first two scheduled times in 1970, in milliseconds, so that the result does not depend
 * on the current time.
 */
export function periodOf(schedule: CronSchedule): number {
  const firstMs = nextTime(schedule, 0);
  return nextTime(schedule, firstMs) - firstMs;
}

function expressionOf(pattern: string, timezone: string, afterMs: number) {
  return CronExpressionParser.parse(pattern, {
    tz: timezone,
    currentDate: new Date(afterMs),
    hashSeed: pattern,
  });
}

/**
 * Converts the local times near `afterMs` to epoch milliseconds, and returns the first one after it. Near a clock
 * change, it can be another local time than the first one after the local `afterMs`, because a skipped local time can be
 * delayed past a later one. A local time is represented by the same wall-clock time in UTC.
 */
function nextLocalTime(pattern: string, timezone: string, afterMs: number): number {
  const zone = IANAZone.create(timezone);
  const local = expressionOf(pattern, 'UTC', afterMs + offsetAt(zone, afterMs) - LARGEST_SHIFT_MS);
  let nextMs = Number.POSITIVE_INFINITY;
  for (;;) {
    const localMs = local.next().getTime();
    const timeMs = timeOfLocal(zone, localMs);
    if (timeMs > afterMs) nextMs = Math.min(nextMs, timeMs);
    if (localMs > nextMs + offsetAt(zone, nextMs) + LARGEST_SHIFT_MS) return nextMs;
  }
}

/**
 * Converts a local time to epoch milliseconds. If a local time occurs twice, the first occurrence is returned. If the
 * clock skips a local time, it is delayed by the size of the change.
 */
function timeOfLocal(zone: IANAZone, localMs: number): number {
  const before = offsetAt(zone, localMs - DAY_MS);
  const after = offsetAt(zone, localMs + DAY_MS);
  const early = localMs - Math.max(before, after);
  const late = localMs - Math.min(before, after);
  return offsetAt(zone, early) === localMs - early ? early : late;
}

function offsetAt(zone: IANAZone, atMs: number): number {
  return zone.offset(atMs) * MINUTE_MS;
}

const HOURS_A_DAY = 24;
// The largest clock change in any time zone since 1970, apart from days that were skipped at the date line.
const LARGEST_SHIFT_MS = 3 * HOUR_MS;
