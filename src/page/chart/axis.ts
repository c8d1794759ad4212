import { DateTime, type DateTimeUnit } from 'luxon';

/** A mark on an axis: `at` is the share of its length, from 0 to 1. */
export interface Tick {
  readonly at: number;
  readonly label: string;
  /** Left out where there is little room. */
  readonly isMinor?: boolean;
}

/** The top of an axis that begins at 0 and holds `highest`, and its marks at round numbers. */
export function numberAxis(
  highest: number,
  write: (value: number) => string,
): { top: number; ticks: Tick[] } {
  const step = roundStep(Math.max(highest, 1) / MOST_NUMBERS);
  const steps = Math.max(1, Math.ceil(highest / step));
  const ticks = Array.from({ length: steps + 1 }, (_, at) => ({ at: at / steps, label: write(at * step) }));
  return { top: steps * step, ticks };
}

/** Marks at round local times: midnights, full hours. A day begins its label where it changes. */
export function timeTicks(fromMs: number, toMs: number, zone: string): Tick[] {
  const lengthMs = Math.max(1, toMs - fromMs);
  const step = STEPS.find(({ ms }) => lengthMs / ms <= MOST_TIMES) ?? yearsFor(lengthMs);
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

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MONTH_MS = 30.44 * DAY_MS;
const YEAR_MS = 365.25 * DAY_MS;

const MOST_NUMBERS = 4;
const MOST_TIMES = 5;
const STEPS: readonly Step[] = [
  ...[1, 5, 10, 15, 30].map((every) => ({ unit: 'minute', every, ms: every * MINUTE_MS }) as const),
  ...[1, 2, 3, 6, 12].map((every) => ({ unit: 'hour', every, ms: every * HOUR_MS }) as const),
  ...[1, 2, 5, 10].map((every) => ({ unit: 'day', every, ms: every * DAY_MS }) as const),
  ...[1, 2, 3, 6].map((every) => ({ unit: 'month', every, ms: every * MONTH_MS }) as const),
  { unit: 'year', every: 1, ms: YEAR_MS },
];

/** 1, 2, 2.5 or 5 times a power of ten; whole, because what is counted is. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= least) ?? 10;
  return Math.max(1, Math.ceil(factor * power));
}

function yearsFor(lengthMs: number): Step {
  const every = roundStep(lengthMs / YEAR_MS / MOST_TIMES);
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

/** Days begin anew with every month: the 1st, 11th, 21st, and the 1st again. */
function following(time: DateTime, { unit, every }: Pick<Step, 'unit' | 'every'>): DateTime {
  const next = time.plus({ [unit]: every });
  const isNearEnd = next.day > LAST_DAY - every;
  if (unit !== 'day' || every === 1 || (next.hasSame(time, 'month') && !isNearEnd)) return next;
  return time.startOf('month').plus({ months: 1 });
}

/** A mark so near to the end of the month would stand too near to the 1st. */
const LAST_DAY = 32;

function labelOf(time: DateTime, { unit }: Step): string {
  if (unit === 'year') return time.toFormat('yyyy');
  if (unit === 'month') return time.toFormat(time.month === 1 ? 'yyyy' : 'LLL');
  const isMidnight = time.hour === 0 && time.minute === 0;
  return time.toFormat(unit === 'day' || isMidnight ? 'd LLL' : 'HH:mm');
}
