import { DateTime, type DateTimeUnit } from 'luxon';

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

/**
 * Returns the smallest integer of the form 1, 2, 2.5 or 5 times a power of ten that is at least 1 and at least
 * `minimum`.
 */
function roundStep(minimum: number): number {
  const power = 10 ** Math.floor(Math.log10(minimum));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= minimum) ?? 10;
  return Math.max(1, Math.ceil(factor * power));
}

/** Returns ticks at round local times, such as midnight or full hours. A tick at midnight shows the date. */
export function timeTicks(fromMs: number, toMs: number, zone: string): Tick[] {
  const [from, to] = [DateTime.fromMillis(fromMs, { zone }), DateTime.fromMillis(toMs, { zone })];
  const fits = ([unit, every]: Step) => to.diff(from, unit).as(unit) / every <= MAX_TIMES;
  const [unit, every, whole] = STEPS.find(fits) ?? LONGEST_STEP;
  const ticks: Tick[] = [];
  for (let time: DateTime = from.startOf(whole); time <= to; time = time.plus({ [unit]: every }))
    if (time >= from) {
      const at = (time.toMillis() - fromMs) / Math.max(1, toMs - fromMs);
      ticks.push({ at, label: labelOf(time, unit) });
    }
  return ticks;
}

/** A distance between ticks, and the unit at whose start a tick stands. */
type Step = readonly [unit: 'minute' | 'hour' | 'day' | 'month' | 'year', every: number, whole: DateTimeUnit];

const MAX_NUMBERS = 4;
const MAX_TIMES = 5;
const LONGEST_STEP: Step = ['year', 5, 'year'];
const STEPS: readonly Step[] = [
  ['minute', 1, 'hour'],
  ['minute', 5, 'hour'],
  ['minute', 15, 'hour'],
  ['hour', 1, 'day'],
  ['hour', 3, 'day'],
  ['hour', 6, 'day'],
  ['day', 1, 'day'],
  ['day', 2, 'week'],
  ['day', 7, 'week'],
  ['day', 14, 'week'],
  ['month', 1, 'year'],
  ['month', 3, 'year'],
  ['year', 1, 'year'],
];

function labelOf(time: DateTime, unit: Step[0]): string {
  if (unit === 'year') return time.toFormat('yyyy');
  if (unit === 'month') return time.toFormat(time.month === 1 ? 'yyyy' : 'LLL');
  const isMidnight = time.hour === 0 && time.minute === 0;
  return time.toFormat(unit === 'day' || isMidnight ? 'd LLL' : 'HH:mm');
}
