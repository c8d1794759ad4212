import { CronExpressionParser } from 'cron-parser';
import { IANAZone } from 'luxon';

/** When a job is due: a cron pattern in a time zone. */
export interface Rhythm {
  readonly pattern: string;
  readonly timezone: string;
}

/**
 * The first moment of the rhythm after `afterMs`, in epoch milliseconds; the same one whoever asks, and
 * whenever between two moments.
 *
 * Nights on which clocks change, as in cron(8): a pattern that names hours comes at each of its local times
 * exactly once. A time that is skipped comes as much later as the clock is put forward, and of a time that comes
 * twice the first counts. A pattern of every hour goes by real time and takes no notice.
 */
export function nextMoment(rhythm: Rhythm, afterMs: number): number {
  const zone = IANAZone.create(rhythm.timezone);
  const local = localTimes(rhythm.pattern);
  return local.everyHour ? nextInRealTime(local, zone, afterMs) : nextLocalTime(local, zone, afterMs);
}

/** The moments of the rhythm after `afterMs` and not after `untilMs`. */
export function momentsBetween(rhythm: Rhythm, afterMs: number, untilMs: number): number[] {
  const moments: number[] = [];
  let momentMs = nextMoment(rhythm, afterMs);
  while (momentMs <= untilMs) {
    moments.push(momentMs);
    momentMs = nextMoment(rhythm, momentMs);
  }
  return moments;
}

/** The pattern over local times, which are written as if they were UTC. */
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
  let stretchMs = afterMs;
  for (;;) {
    const offsetMs = offsetAt(zone, stretchMs);
    const momentMs = local.next(fromMs + offsetMs) - offsetMs;
    const changeMs = nextOffsetChange(zone, stretchMs, momentMs);
    if (changeMs === null) return momentMs;
    // Beyond the change other local times stand on the clock: look again from there, that moment included.
    stretchMs = changeMs;
    fromMs = changeMs - 1;
  }
}

function nextLocalTime(local: LocalTimes, zone: IANAZone, afterMs: number): number {
  const momentMs = local.next(afterMs + offsetAt(zone, afterMs)) - offsetAt(zone, afterMs);
  if (isCalm(zone, afterMs) && isCalm(zone, momentMs)) return momentMs;
  return nextNearAChange(local, zone, afterMs);
}

/** Skipped times move behind later ones, so that the next local time is not always the next moment. */
function nextNearAChange(local: LocalTimes, zone: IANAZone, afterMs: number): number {
  let nextMs = Number.POSITIVE_INFINITY;
  let localMs = afterMs + offsetAt(zone, afterMs) - LARGEST_SHIFT_MS;
  for (;;) {
    localMs = local.next(localMs);
    const momentMs = momentOf(zone, localMs);
    if (momentMs > afterMs) nextMs = Math.min(nextMs, momentMs);
    if (localMs > nextMs + offsetAt(zone, nextMs) + LARGEST_SHIFT_MS) return nextMs;
  }
}

/** When a local time comes: the first time where it comes twice, later by the gap where it is skipped. */
function momentOf(zone: IANAZone, localMs: number): number {
  const before = offsetAt(zone, localMs - DAY_MS);
  const after = offsetAt(zone, localMs + DAY_MS);
  const early = localMs - Math.max(before, after);
  const late = localMs - Math.min(before, after);
  if (offsetAt(zone, early) === localMs - early) return early;
  return late;
}

/** Does no clock change within a shift's distance? */
function isCalm(zone: IANAZone, atMs: number): boolean {
  return offsetAt(zone, atMs - LARGEST_SHIFT_MS) === offsetAt(zone, atMs + LARGEST_SHIFT_MS);
}

/** The first millisecond after `fromMs` and not after `untilMs` with another offset; null: there is none. */
function nextOffsetChange(zone: IANAZone, fromMs: number, untilMs: number): number | null {
  const offsetMs = offsetAt(zone, fromMs);
  let calmMs = fromMs;
  while (calmMs < untilMs) {
    const stepMs = Math.min(calmMs + DAY_MS, untilMs);
    if (offsetAt(zone, stepMs) !== offsetMs) return bisect(zone, offsetMs, calmMs, stepMs);
    calmMs = stepMs;
  }
  return null;
}

function bisect(zone: IANAZone, offsetMs: number, calmMs: number, changedMs: number): number {
  let [low, high] = [calmMs, changedMs];
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
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
// The widest gap of any zone since 1970 but for days that were skipped whole at the date line.
const LARGEST_SHIFT_MS = 3 * 60 * MINUTE_MS;
