import { DateTime } from 'luxon';
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

/** A time without a zone is in this machine's time zone. A date means its midnight. */
function dateTime(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d(T\S+)?$/.test(text.replace(' ', 'T'))) return null;
  const time = DateTime.fromISO(text.replace(' ', 'T'));
  return time.isValid ? time.toMillis() : null;
}
