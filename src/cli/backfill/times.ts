import { InvalidArgumentError } from '@commander-js/extra-typings';
import { DateTime } from 'luxon';
import { DAY_MS } from '../../durations.ts';
import { UsageError } from '../../errors.ts';

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

/**
 * Reads a time as epoch milliseconds: `06:30` (its next occurrence), `2026-11-22` (its midnight) or `2026-11-22T06:30Z`.
 * A time without a zone is in this machine's time zone.
 */
export function timeOf(text: string, nowMs: number): number {
  const time = DateTime.fromISO(text.replace(' ', 'T').replace(/^(\d:)/, '0$1'));
  const isTimeOfDay = /^\d{1,2}:\d\d$/.test(text);
  if (!time.isValid || !(isTimeOfDay || /^\d{4}-\d\d-\d\d([T ]\S+)?$/.test(text)))
    throw new UsageError(`--until ${text} is not a time`, {
      hint: 'Write 06:30, 2026-11-22 or 2026-11-22T06:30.',
    });
  if (isTimeOfDay) return nextOccurrence(time, DateTime.fromMillis(nowMs));
  if (time.toMillis() <= nowMs) throw new UsageError(`--until ${text} is in the past`);
  return time.toMillis();
}

function nextOccurrence({ hour, minute }: DateTime, now: DateTime): number {
  const today = now.set({ hour, minute, second: 0, millisecond: 0 });
  return (today > now ? today : today.plus({ days: 1 })).toMillis();
}
