import { CronExpressionParser } from 'cron-parser';
import { IANAZone } from 'luxon';
import { DAY_MS, MINUTE_MS } from '../durations.ts';

/** A cron pattern in a time zone. */
export interface CronSchedule {
  readonly pattern: string;
  readonly timezone: string;
}

/**
 * Returns the first scheduled time after `afterMs`, in epoch milliseconds. The result is the same for every `afterMs`
 * between two scheduled times.
 *
 * Clock changes are handled as in cron(8). A pattern with fixed hours runs exactly once for each of its local times. A
 * local time that the clock skips is delayed by the size of the change. If a local time occurs twice, only the first
 * occurrence is used. A pattern that includes every hour follows elapsed time and ignores clock changes.
 */
export function nextTime(schedule: CronSchedule, afterMs: number): number {
  const zone = IANAZone.create(schedule.timezone);
  const local = localTimes(schedule.pattern);
  return local.everyHour ? nextInRealTime(local, zone, afterMs) : nextLocalTime(local, zone, afterMs);
}

/** Returns the scheduled times after `afterMs`, up to and including `untilMs`, in epoch milliseconds. */
export function timesBetween(schedule: CronSchedule, afterMs: number, untilMs: number): number[] {
  const times: number[] = [];
  let timeMs = nextTime(schedule, afterMs);
  while (timeMs <= untilMs) {
    times.push(timeMs);
    timeMs = nextTime(schedule, timeMs);
  }
  return times;
}

/**
 * Returns the time between the first two scheduled times in 1970, in milliseconds, so that the result does not depend
 * on the current time.
 */
export function periodOf(schedule: CronSchedule): number {
  const firstMs = nextTime(schedule, 0);
  return nextTime(schedule, firstMs) - firstMs;
}

/** A pattern's local times. Each one is represented by the same wall-clock time in UTC. */
interface LocalTimes {
  readonly everyHour: boolean;
  next(afterMs: number): number;
}

function localTimes(pattern: string): LocalTimes {
  const parse = (currentMs: number) =>
    CronExpressionParser.parse(pattern, { tz: 'UTC', currentDate: new Date(currentMs), hashSeed: pattern });
  return {
    everyHour: parse(0).fields.hour.values.length === HOURS_A_DAY,
    next: (afterMs) => parse(afterMs).next().getTime(),
  };
}

function nextInRealTime(local: LocalTimes, zone: IANAZone, afterMs: number): number {
  let fromMs = afterMs;
  let offsetFromMs = afterMs;
  for (;;) {
    const offsetMs = offsetAt(zone, offsetFromMs);
    const timeMs = local.next(fromMs + offsetMs) - offsetMs;
    const changeMs = nextOffsetChange(zone, offsetFromMs, timeMs);
    if (changeMs === null) return timeMs;
    // Local times differ from the clock change onwards, so search again from there.
    offsetFromMs = changeMs;
    fromMs = changeMs - 1;
  }
}

function nextLocalTime(local: LocalTimes, zone: IANAZone, afterMs: number): number {
  const timeMs = local.next(afterMs + offsetAt(zone, afterMs)) - offsetAt(zone, afterMs);
  if (hasConstantOffset(zone, afterMs) && hasConstantOffset(zone, timeMs)) return timeMs;
  return nextNearAChange(local, zone, afterMs);
}

/**
 * Near a clock change, the next local time may not be the next scheduled time, because a skipped local time can be
 * delayed past a later local time.
 */
function nextNearAChange(local: LocalTimes, zone: IANAZone, afterMs: number): number {
  let nextMs = Number.POSITIVE_INFINITY;
  let localMs = afterMs + offsetAt(zone, afterMs) - LARGEST_SHIFT_MS;
  for (;;) {
    localMs = local.next(localMs);
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
  if (offsetAt(zone, early) === localMs - early) return early;
  return late;
}

/**
 * Returns whether the zone's offset from UTC is constant from LARGEST_SHIFT_MS before this time to LARGEST_SHIFT_MS
 * after it.
 */
function hasConstantOffset(zone: IANAZone, atMs: number): boolean {
  return offsetAt(zone, atMs - LARGEST_SHIFT_MS) === offsetAt(zone, atMs + LARGEST_SHIFT_MS);
}

/**
 * Returns the first millisecond in (`fromMs`, `untilMs`] with a different offset, or null if the offset does not
 * change.
 */
function nextOffsetChange(zone: IANAZone, fromMs: number, untilMs: number): number | null {
  const offsetMs = offsetAt(zone, fromMs);
  let sameMs = fromMs;
  while (sameMs < untilMs) {
    const stepMs = Math.min(sameMs + DAY_MS, untilMs);
    if (offsetAt(zone, stepMs) !== offsetMs) return bisect(zone, offsetMs, sameMs, stepMs);
    sameMs = stepMs;
  }
  return null;
}

function bisect(zone: IANAZone, offsetMs: number, sameMs: number, changedMs: number): number {
  let [low, high] = [sameMs, changedMs];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle) === offsetMs) low = middle;
    else high = middle;
  }
  return high;
}

function offsetAt(zone: IANAZone, atMs: number): number {
  return zone.offset(atMs) * MINUTE_MS;
}

const HOURS_A_DAY = 24;
// The largest clock change in any time zone since 1970, apart from days that were skipped at the date line.
const LARGEST_SHIFT_MS = 3 * 60 * MINUTE_MS;
