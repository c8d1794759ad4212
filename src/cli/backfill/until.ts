import { UsageError } from '../../errors.ts';

/** A moment as people write it: `06:30` (the next one, in the zone of this machine), `2026-11-22`, `2026-11-22T06:30Z`. */
export function momentOf(text: string, nowMs: number): number {
  const moment = timeOfDay(text, nowMs) ?? dateTime(text);
  if (moment === null)
    throw new UsageError(`--until ${text}: not a time`, {
      hint: 'Write 06:30, 2026-11-22 or 2026-11-22T06:30.',
    });
  if (moment <= nowMs) throw new UsageError(`--until ${text}: that time has passed`);
  return moment;
}

function timeOfDay(text: string, nowMs: number): number | null {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) return null;
  const moment = new Date(nowMs);
  moment.setHours(Number(hours), Number(minutes), 0, 0);
  if (moment.getTime() <= nowMs) moment.setDate(moment.getDate() + 1);
  return moment.getTime();
}

function dateTime(text: string): number | null {
  const [, date, time] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?))?$/.exec(text) ?? [];
  if (date === undefined) return null;
  // A date alone is the beginning of that day here, not in Greenwich.
  const moment = Date.parse(`${date}T${time ?? '00:00'}`);
  return Number.isNaN(moment) ? null : moment;
}
