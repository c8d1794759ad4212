import fc from 'fast-check';
import { IANAZone } from 'luxon';
import { describe, expect, it } from 'vitest';
import { momentsBetween, nextMoment } from '../../jobs/schedule.ts';

const OSLO = 'Europe/Oslo';
const SPRING = ['2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'] as const;
const AUTUMN = ['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'] as const;

describe('a night on which the clock is put forward', () => {
  it.each([
    ['17 3 * * *', ['01:17']],
    ['30 2 * * *', ['01:30']], // 02:30 does not exist: it comes at 03:30
    ['15,45 2 * * *', ['01:15', '01:45']],
    ['0 2 * * *', ['01:00']],
    ['0 2,3 * * *', ['01:00']], // two local times, one moment
    ['30 1 * * *', ['00:30']],
    ['0 */6 * * *', ['23:00', '04:00', '10:00', '16:00']],
  ])('%s comes at %s (UTC)', (pattern, times) => {
    expect(momentsOf(pattern, OSLO, SPRING)).toEqual(times);
  });

  it('has 23 hours for a pattern of every hour', () => {
    expect(momentsOf('30 * * * *', OSLO, SPRING)).toHaveLength(23);
    expect(momentsOf('*/10 * * * *', OSLO, SPRING)).toHaveLength(23 * 6);
  });
});

describe('a night on which the clock is put back', () => {
  it.each([
    ['17 3 * * *', ['02:17']],
    ['30 2 * * *', ['00:30']], // 02:30 comes twice: the first one counts
    ['15,45 2 * * *', ['00:15', '00:45']],
    ['30 1-3 * * *', ['23:30', '00:30', '02:30']],
  ])('%s comes at %s (UTC)', (pattern, times) => {
    expect(momentsOf(pattern, OSLO, AUTUMN)).toEqual(times);
  });

  it('has 25 hours for a pattern of every hour', () => {
    expect(momentsOf('30 * * * *', OSLO, AUTUMN)).toHaveLength(25);
    expect(momentsOf('*/10 * * * *', OSLO, AUTUMN)).toHaveLength(25 * 6);
  });

  it('does not come a second time for one who asks in the second hour', () => {
    const inTheSecondHour = Date.parse('2026-10-25T01:10:00Z');
    const next = nextMoment({ pattern: '30 2 * * *', timezone: OSLO }, inTheSecondHour);
    expect(new Date(next).toISOString()).toBe('2026-10-26T01:30:00.000Z');
  });
});

it('keeps half-hour changes of the clock', () => {
  const night = ['2026-10-03T13:30:00Z', '2026-10-04T13:00:00Z'] as const;
  expect(momentsOf('15 2 * * *', 'Australia/Lord_Howe', night)).toEqual(['15:45']);
});

it('answers the same moment whenever it is asked between two moments', () => {
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
        const rhythm = { pattern, timezone };
        const next = nextMoment(rhythm, from + ms);
        expect(next).toBeGreaterThan(from + ms);
        const between = Math.min(from + ms + more, next - 1);
        expect(nextMoment(rhythm, between)).toBe(next);
      },
    ),
    { numRuns: 2000 },
  );
});

it('agrees, for patterns of every hour, with reading the clock every minute', () => {
  const zones = [OSLO, 'America/New_York', 'Australia/Lord_Howe', 'America/St_Johns', 'Asia/Kathmandu'];
  for (const timezone of zones)
    for (const from of [...SPRING, ...AUTUMN, '2026-11-01T00:00:00Z', '2026-10-03T00:00:00Z'].map(
      Date.parse,
    )) {
      const until = from + 30 * 3_600_000;
      const read = minutesBetween(from, until).filter((ms) => minuteOf(ms, timezone) % 20 === 5);
      expect(momentsBetween({ pattern: '5-59/20 * * * *', timezone }, from, until)).toEqual(read);
    }
});

function momentsOf(pattern: string, timezone: string, [from, until]: readonly [string, string]): string[] {
  const moments = momentsBetween({ pattern, timezone }, Date.parse(from) - 1, Date.parse(until) - 1);
  return moments.map((ms) => new Date(ms).toISOString().slice(11, 16));
}

function minutesBetween(fromMs: number, untilMs: number): number[] {
  return Array.from({ length: (untilMs - fromMs) / 60_000 }, (_, index) => fromMs + (index + 1) * 60_000);
}

function minuteOf(ms: number, timezone: string): number {
  return new Date(ms + IANAZone.create(timezone).offset(ms) * 60_000).getUTCMinutes();
}
