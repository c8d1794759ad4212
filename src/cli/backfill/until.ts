import { UsageError } from '../../errors.ts';

/**
 * Reads a time as epoch milliseconds: `06:30` (its next occurrence in this machine's time zone), `2026-11-22` or
 * `2026-11-22T06:30Z`.
 */
export function timeOf(text: string, nowMs: number): number {
  const time = timeOfDay(text, nowMs) ?? dateTime(text);
  if (time === null)
    throw new UsageError(`--until ${text} is not a time`, {
      hint: 'Write 06:30, 2026-11-22 or 2026-11-22T06:30.',
    });
  if (time <= nowMs) throw new UsageError(`--until ${text} is in the past`);
  return time;
}

function timeOfDay(text: string, nowMs: number): number | null {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) return null;
  const time = new Date(nowMs);
  time.setHours(Number(hours), Number(minutes), 0, 0);
  if (time.getTime() <= nowMs) time.setDate(time.getDate() + 1);
  return time.getTime();
}

function dateTime(text: string): number | null {
  const [, date, clockTime] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?))?$/.exec(text) ?? [];
  if (date === undefined) return null;
  // A date without a time means local midnight. Add the time, because Date.parse reads a bare date as UTC.
  const time = Date.parse(`${date}T${clockTime ?? '00:00'}`);
  return Number.isNaN(time) ? null : time;
}
