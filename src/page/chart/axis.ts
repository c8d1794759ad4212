import { DateTime, type DateTimeUnit } from 'luxon';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';

/** A tick on an axis. `at` is its position from 0 to 1. */
export interface Tick {
  readonly at: number;
  readonly label: string;
  /** Whether the tick is hidden on narrow screens. */
  readonly isMinor?: boolean;
}

/** Creates an axis from 0 to a round number that is at least `highest`, with ticks at round numbers. */
export function numberAxis(
  highest: number,
  format: (value: number) => string,
): { top: number; ticks: Tick[] } {
  const step = roundStep(Math.max(highest, 1) / MAX_NUMBERS);
  const steps = Math.max(1, Math.ceil(highest / step));
  const ticks = Array.from({ length: steps + 1 }, (_, at) => ({ at: at / steps, label: format(at * step) }));
  return { top: steps * step, ticks };
}

/** Returns ticks at round local times, such as midnight or full hours. A tick at midnight shows the date. */
export function timeTicks(fromMs: number, toMs: number, zone: string): Tick[] {
  const lengthMs = Math.max(1, toMs - fromMs);
  const step = STEPS.find(({ ms }) => lengthMs / ms <= MAX_TIMES) ?? yearsFor(lengthMs);
  const ticks: Tick[] = [];
  let time = firstAtOrAfter(fromMs, step, zone);
  while (time.toMillis() <= toMs) {
    ticks.push({ at: (time.toMillis() - fromMs) / lengthMs, label: labelOf(time, step) });
    time = following(time, step);
  }
  return ticks;
}

interface Step {
  readonly unit: 'minute' | 'hour' | 'day' | 'month' | 'year';
  readonly every: number;
  readonly ms: number;
}

const MONTH_MS = 30.44 * DAY_MS;
const YEAR_MS = 365.25 * DAY_MS;

const MAX_NUMBERS = 4;
const MAX_TIMES = 5;
const STEPS: readonly Step[] = [
  ...[1, 5, 10, 15, 30].map((every) => ({ unit: 'minute', every, ms: every * MINUTE_MS }) as const),
  ...[1, 2, 3, 6, 12].map((every) => ({ unit: 'hour', every, ms: every * HOUR_MS }) as const),
  ...[1, 2, 5, 10].map((every) => ({ unit: 'day', every, ms: every * DAY_MS }) as const),
  ...[1, 2, 3, 6].map((every) => ({ unit: 'month', every, ms: every * MONTH_MS }) as const),
  { unit: 'year', every: 1, ms: YEAR_MS },
];

/**
 * Returns the smallest integer of the form 1, 2, 2.5 or 5 times a power of ten that is at least 1 and at least
 * `minimum`.
 */
function roundStep(minimum: number): number {
  const power = 10 ** Math.floor(Math.log10(minimum));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= minimum) ?? 10;
  return Math.max(1, Math.ceil(factor * power));
}

function yearsFor(lengthMs: number): Step {
  const every = roundStep(lengthMs / YEAR_MS / MAX_TIMES);
  return { unit: 'year', every, ms: every * YEAR_MS };
}

function firstAtOrAfter(fromMs: number, { unit, every }: Step, zone: string): DateTime {
  const from = DateTime.fromMillis(fromMs, { zone });
  const whole: DateTimeUnit =
    unit === 'minute' ? 'hour' : unit === 'hour' ? 'day' : unit === 'day' ? 'month' : 'year';
  let time: DateTime = unit === 'year' ? from.startOf('year') : from.startOf(whole);
  while (time.toMillis() < fromMs) time = following(time, { unit, every });
  return time;
}

/**
 * Returns the next tick. Steps of several days restart every month: for example, on the 1st, 11th and 21st, then on the
 * 1st of the next month.
 */
function following(time: DateTime, { unit, every }: Pick<Step, 'unit' | 'every'>): DateTime {
  const next = time.plus({ [unit]: every });
  const isNearEnd = next.day > LAST_DAY - every;
  if (unit !== 'day' || every === 1 || (next.hasSame(time, 'month') && !isNearEnd)) return next;
  return time.startOf('month').plus({ months: 1 });
}

/** A tick less than one step before this day of the month would overlap the tick on the 1st of the next month. */
const LAST_DAY = 32;

function labelOf(time: DateTime, { unit }: Step): string {
  if (unit === 'year') return time.toFormat('yyyy');
  if (unit === 'month') return time.toFormat(time.month === 1 ? 'yyyy' : 'LLL');
  const isMidnight = time.hour === 0 && time.minute === 0;
  return time.toFormat(unit === 'day' || isMidnight ? 'd LLL' : 'HH:mm');
}
