import fc from 'fast-check';
import { IANAZone } from 'luxon';
import { describe, expect, it } from 'vitest';
import { type CronSchedule, nextTime } from '../../src/cron/cron_times.ts';

const OSLO = 'Europe/Oslo';
const SPRING = ['2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'] as const;
const AUTUMN = ['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'] as const;

describe('when the clock moves forward at night', () => {
  it.each([
    ['17 3 * * *', ['01:17']],
    ['30 2 * * *', ['01:30']], // 02:30 does not exist: the job runs at 03:30
    ['15,45 2 * * *', ['01:15', '01:45']],
    ['0 2 * * *', ['01:00']],
    ['0 2,3 * * *', ['01:00']], // two local times, one scheduled time
    ['30 1 * * *', ['00:30']],
    ['0 */6 * * *', ['23:00', '04:00', '10:00', '16:00']],
  ])('the cron pattern %s runs at %s (UTC)', (pattern, times) => {
    expect(timesOf(pattern, OSLO, SPRING)).toEqual(times);
  });

  it('an hourly cron pattern runs 23 times if the clock moves forward', () => {
    expect(timesOf('30 * * * *', OSLO, SPRING)).toHaveLength(23);
    expect(timesOf('*/10 * * * *', OSLO, SPRING)).toHaveLength(23 * 6);
  });
});

describe('when the clock moves back at night', () => {
  it.each([
    ['17 3 * * *', ['02:17']],
    ['30 2 * * *', ['00:30']], // 02:30 occurs twice, and only the first occurrence counts
    ['15,45 2 * * *', ['00:15', '00:45']],
    ['30 1-3 * * *', ['23:30', '00:30', '02:30']],
  ])('the cron pattern %s runs at %s (UTC)', (pattern, times) => {
    expect(timesOf(pattern, OSLO, AUTUMN)).toEqual(times);
  });

  it('an hourly cron pattern runs 25 times if the clock moves back', () => {
    expect(timesOf('30 * * * *', OSLO, AUTUMN)).toHaveLength(25);
    expect(timesOf('*/10 * * * *', OSLO, AUTUMN)).toHaveLength(25 * 6);
  });

  it('a daily cron pattern does not run again in the repeated hour', () => {
    const inRepeatedHour = Date.parse('2026-10-25T01:10:00Z');
    const next = nextTime({ pattern: '30 2 * * *', timezone: OSLO }, inRepeatedHour);
    expect(new Date(next).toISOString()).toBe('2026-10-26T01:30:00.000Z');
  });
});

it('if the clock changes by half an hour, a skipped time is half an hour late', () => {
  const night = ['2026-10-03T13:30:00Z', '2026-10-04T13:00:00Z'] as const;
  expect(timesOf('15 2 * * *', 'Australia/Lord_Howe', night)).toEqual(['15:45']);
});

it('nextTime returns the same scheduled time for every time since the previous one', () => {
  const pattern = fc.constantFrom(
    '30 2 * * *',
    '*/20 * * * *',
    '0 */6 * * *',
    '5 1-4 * * 0',
    '10,50 1,2,3 * * *',
  );
  const zone = fc.constantFrom(OSLO, 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC');
  const night = fc.constantFrom(
    ...[SPRING, AUTUMN, ['2026-11-01T00:00:00Z', '']].map(([from = '']) => Date.parse(from)),
  );
  fc.assert(
    fc.property(
      pattern,
      zone,
      night,
      fc.nat(30 * 3_600_000),
      fc.nat(3_600_000),
      (pattern, timezone, from, ms, more) => {
        const schedule = { pattern, timezone };
        const next = nextTime(schedule, from + ms);
        expect(next).toBeGreaterThan(from + ms);
        const between = Math.min(from + ms + more, next - 1);
        expect(nextTime(schedule, between)).toBe(next);
      },
    ),
    { numRuns: 2000 },
  );
});

it('an hourly cron pattern runs whenever the local clock shows its minutes', () => {
  const zones = [OSLO, 'America/New_York', 'America/St_Johns', 'Asia/Kathmandu'];
  for (const timezone of zones)
    for (const from of [...SPRING, ...AUTUMN, '2026-11-01T00:00:00Z', '2026-10-03T00:00:00Z'].map(
      Date.parse,
    )) {
      const until = from + 30 * 3_600_000;
      const shown = minutesBetween(from, until).filter((ms) => minuteOf(ms, timezone) % 20 === 5);
      expect(timesBetween({ pattern: '5-59/20 * * * *', timezone }, from, until)).toEqual(shown);
    }
});

function timesOf(pattern: string, timezone: string, [from, until]: readonly [string, string]): string[] {
  const times = timesBetween({ pattern, timezone }, Date.parse(from) - 1, Date.parse(until) - 1);
  return times.map((ms) => new Date(ms).toISOString().slice(11, 16));
}

function timesBetween(schedule: CronSchedule, afterMs: number, untilMs: number): number[] {
  const times: number[] = [];
  for (let ms = nextTime(schedule, afterMs); ms <= untilMs; ms = nextTime(schedule, ms)) times.push(ms);
  return times;
}

function minutesBetween(fromMs: number, untilMs: number): number[] {
  return Array.from({ length: (untilMs - fromMs) / 60_000 }, (_, index) => fromMs + (index + 1) * 60_000);
}

function minuteOf(ms: number, timezone: string): number {
  return new Date(ms + IANAZone.create(timezone).offset(ms) * 60_000).getUTCMinutes();
}
