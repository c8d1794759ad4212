import { InvalidArgumentError } from 'commander';
import { DAY_MS } from '../../durations.ts';

/**
 * Reads an age as milliseconds: `90d`, `6w`, `3mo` (30 days each) or `1y` (365 days). The unit `m` is rejected, because
 * it could mean minutes or months, and a wrong guess would fetch the whole mirror again.
 */
export function readAge(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(d|w|mo|y)$/.exec(text) ?? [];
  if (number === undefined || unit === undefined)
    throw new InvalidArgumentError('Write an age in days, weeks, months or years: 90d, 6w, 3mo or 1y.');
  return Number(number) * DAYS[unit as keyof typeof DAYS] * DAY_MS;
}

const DAYS = { d: 1, w: 7, mo: 30, y: 365 } as const;
