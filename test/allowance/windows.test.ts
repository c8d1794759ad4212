import fc from 'fast-check';
import { IANAZone } from 'luxon';
import { describe, expect, test } from 'vitest';
import { windowRows } from '../../src/allowance/window_table.ts';
import {
  type DayStart,
  exhaustionEndsMs,
  limitFor,
  spacingMs,
  type Window,
  windowsAt,
} from '../../src/allowance/windows.ts';
import { allowanceOf } from '../support/ledger.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function fixed(time: string, timeZone: string): DayStart {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return { kind: 'fixed', minuteOfDay: hour * 60 + minute, timeZone };
}

function dayAt(day: DayStart, at: string) {
  return shown(windowsAt(allowanceOf({ perDay: 1, day }), Date.parse(at))[0]);
}

function monthAt(day: DayStart, at: string) {
  return shown(windowsAt(allowanceOf({ perMonth: 1, day }), Date.parse(at))[0]);
}

function shown(window: Window | undefined) {
  const iso = (ms: number | null | undefined) =>
    ms == null ? null : new Date(ms).toISOString().replace(':00.000Z', 'Z');
  return [iso(window?.sinceMs), iso(window?.resetsAtMs)];
}

describe('a fixed day', () => {
  const oslo = fixed('00:00', 'Europe/Oslo');

  test.each([
    ['in winter', '2026-01-15T12:00Z', '2026-01-14T23:00Z', '2026-01-15T23:00Z'],
    ['in summer', '2026-07-15T12:00Z', '2026-07-14T22:00Z', '2026-07-15T22:00Z'],
    ['at its start', '2026-01-14T23:00:00.000Z', '2026-01-14T23:00Z', '2026-01-15T23:00Z'],
    ['at its end', '2026-01-14T22:59:59.999Z', '2026-01-13T23:00Z', '2026-01-14T23:00Z'],
    ['if it lasts 23 hours', '2026-03-29T12:00Z', '2026-03-28T23:00Z', '2026-03-29T22:00Z'],
    ['if it lasts 25 hours', '2026-10-25T12:00Z', '2026-10-24T22:00Z', '2026-10-25T23:00Z'],
    ['on a leap day', '2028-02-29T12:00Z', '2028-02-28T23:00Z', '2028-02-29T23:00Z'],
    ['at the end of a year', '2026-12-31T23:30Z', '2026-12-31T23:00Z', '2027-01-01T23:00Z'],
  ])('a fixed day has the right bounds %s', (_what, at, since, resets) => {
    expect(dayAt(oslo, at)).toEqual([since, resets]);
  });

  test('a day that begins in the hour skipped in spring counts from before the change, and ends after it', () => {
    const day = fixed('02:30', 'Europe/Oslo');
    expect(dayAt(day, '2026-03-29T12:00Z')).toEqual(['2026-03-29T00:30Z', '2026-03-30T00:30Z']);
    expect(dayAt(day, '2026-03-29T01:29Z')).toEqual(['2026-03-28T01:30Z', '2026-03-29T01:30Z']);
  });

  test('a day that begins in the hour repeated in autumn ends the day before at the second occurrence', () => {
    const day = fixed('02:30', 'Europe/Oslo');
    for (const at of ['2026-10-25T00:29Z', '2026-10-25T00:30Z', '2026-10-25T01:29Z'])
      expect(dayAt(day, at)).toEqual(['2026-10-24T00:30Z', '2026-10-25T01:30Z']);
    for (const at of ['2026-10-25T01:30Z', '2026-10-26T01:29Z'])
      expect(dayAt(day, at)).toEqual(['2026-10-25T00:30Z', '2026-10-26T01:30Z']);
  });

  test('a day whose midnight is skipped counts from an hour before the change', () => {
    expect(dayAt(fixed('00:00', 'Africa/Cairo'), '2026-04-24T12:00Z')).toEqual([
      '2026-04-23T21:00Z',
      '2026-04-24T21:00Z',
    ]);
  });

  test('a date that a time zone skipped has no allowance window', () => {
    const apia = fixed('00:00', 'Pacific/Apia');
    expect(dayAt(apia, '2011-12-30T09:59Z')).toEqual(['2011-12-29T10:00Z', '2011-12-30T10:00Z']);
    expect(dayAt(apia, '2011-12-30T10:00Z')).toEqual(['2011-12-30T10:00Z', '2011-12-31T10:00Z']);
  });

  test.each([
    ['00:00', 'UTC', '2026-03-01T00:00Z', '2026-03-02T00:00Z'],
    ['00:00', 'Asia/Kathmandu', '2026-02-28T18:15Z', '2026-03-01T18:15Z'],
    ['17:37', 'America/St_Johns', '2026-02-28T21:07Z', '2026-03-01T21:07Z'],
    ['00:00', 'Pacific/Kiritimati', '2026-03-01T10:00Z', '2026-03-02T10:00Z'],
    ['00:00', 'Australia/Lord_Howe', '2026-03-01T13:00Z', '2026-03-02T13:00Z'],
    ['12:00', '+02:00', '2026-03-01T10:00Z', '2026-03-02T10:00Z'],
  ])('a fixed day that begins at %s in %s has the right window', (time, zone, since, resets) => {
    expect(dayAt(fixed(time, zone), '2026-03-01T14:00Z')).toEqual([since, resets]);
  });
});

describe('a month', () => {
  test.each([
    ['a leap February', '2028-02-29T22:59:59.999Z', '2028-01-31T23:00Z', '2028-02-29T23:00Z'],
    ['the March after a leap February', '2028-02-29T23:00Z', '2028-02-29T23:00Z', '2028-03-31T22:00Z'],
    ['December', '2026-12-31T22:00Z', '2026-11-30T23:00Z', '2026-12-31T23:00Z'],
  ])('a month has the right bounds: %s', (_what, at, since, resets) => {
    expect(monthAt(fixed('00:00', 'Europe/Oslo'), at)).toEqual([since, resets]);
  });

  test('a month begins when its first day begins', () => {
    expect(monthAt(fixed('06:00', 'UTC'), '2026-03-01T05:59Z')).toEqual([
      '2026-02-01T06:00Z',
      '2026-03-01T06:00Z',
    ]);
  });

  test('an account with rolling days uses UTC months', () => {
    expect(monthAt({ kind: 'rolling' }, '2026-03-31T23:59Z')).toEqual([
      '2026-03-01T00:00Z',
      '2026-04-01T00:00Z',
    ]);
  });
});

test('a rolling day covers the last 24 hours, and each call leaves it separately', () => {
  const nowMs = Date.parse('2026-03-29T12:00Z');
  expect(windowsAt(allowanceOf({ perDay: 9, day: { kind: 'rolling' } }), nowMs)).toEqual([
    { name: 'day', limit: 9, sinceMs: nowMs - DAY_MS, resetsAtMs: null },
  ]);
});

test('allowance windows are ordered by length, and the total counts all calls', () => {
  const all = allowanceOf({ total: 100, perDay: 10, perMonth: 50, day: fixed('00:00', 'UTC') });
  expect(windowsAt(all, 0).map(({ name, limit }) => [name, limit])).toEqual([
    ['total', 100],
    ['month', 50],
    ['day', 10],
  ]);
  expect(windowsAt(all, 0)[0]).toMatchObject({ sinceMs: Number.NEGATIVE_INFINITY, resetsAtMs: null });
  expect(windowsAt(allowanceOf({}), 0)).toEqual([]);
});

test('the limit on backfills excludes the reserve and is rounded down', () => {
  expect(limitFor(100, 0.1, 'backfill')).toBe(90);
  expect(limitFor(100, 0.1, 'scheduled')).toBe(100);
  expect(limitFor(10, 0.9, 'backfill')).toBe(1);
  expect(limitFor(100, 0.07, 'backfill')).toBe(93);
  expect(limitFor(1000, 0.001, 'backfill')).toBe(999);
  expect(limitFor(7, 0.1, 'backfill')).toBe(6);
  expect(limitFor(7, 0, 'backfill')).toBe(7);
});

describe('waiting after an exhausted allowance', () => {
  const nowMs = Date.parse('2026-03-29T12:00Z');
  const day = windowsAt(allowanceOf({ total: 9, perMonth: 5, perDay: 2 }), nowMs);
  const rolling = windowsAt(allowanceOf({ perDay: 2, day: { kind: 'rolling' } }), nowMs);
  const total = windowsAt(allowanceOf({ total: 9 }), nowMs);
  const waitMs = (windows: readonly Window[], times = 0, namedMs: number | null = null) =>
    exhaustionEndsMs({ namedMs, windows, times, nowMs }) - nowMs;

  test("the wait after an exhausted allowance ends at the next reset, after a rolling window's length, or after a day", () => {
    expect([day, rolling, total, []].map((windows) => waitMs(windows))).toEqual([
      12 * HOUR_MS,
      DAY_MS,
      DAY_MS,
      DAY_MS,
    ]);
  });

  test("the wait after an exhausted allowance ends on the upstream's date, but never in the past", () => {
    expect(waitMs(day, 0, nowMs + MINUTE_MS)).toBe(MINUTE_MS);
    expect(waitMs(day, 0, nowMs - MINUTE_MS)).toBe(0);
  });

  test('the wait lasts at least an hour from the second report on, and doubles with each further report', () => {
    expect([1, 2, 3].map((times) => waitMs(day, times, nowMs + MINUTE_MS))).toEqual([
      HOUR_MS,
      2 * HOUR_MS,
      4 * HOUR_MS,
    ]);
    expect([1, 2].map((times) => waitMs(rolling, times))).toEqual([2 * DAY_MS, 4 * DAY_MS]);
    expect([1, 2].map((times) => waitMs(total, times))).toEqual([2 * DAY_MS, 4 * DAY_MS]);
  });

  test('the wait after an exhausted allowance is never longer than 32 days', () => {
    expect(waitMs(total, 5)).toBe(32 * DAY_MS);
    expect(waitMs(total, 5000)).toBe(32 * DAY_MS);
    expect(waitMs(day, 5000)).toBe(512 * HOUR_MS);
  });
});

test('taking as many slots as the rate permits per minute takes 61 seconds', () => {
  expect(spacingMs(10)).toBe(6100);
  expect(spacingMs(600) * 600).toBeCloseTo(61_000, 6);
  expect(spacingMs(null)).toBe(0);
});

const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
const instants = fc.integer({ min: Date.parse('1975-01-01'), max: Date.parse('2099-12-31') });
/** Times near the zone's clock change, if it has one. */
const times = fc
  .tuple(zones, instants, fc.integer({ min: -3 * DAY_MS, max: 3 * DAY_MS }))
  .map(([zone, at, offset]) => ({
    zone,
    atMs: (changeAfter(zone, at) ?? at) + offset,
  }));

function changeAfter(zone: string, atMs: number): number | null {
  const offset = (ms: number) => IANAZone.create(zone).offset(ms);
  for (let ms = atMs; ms < atMs + 370 * DAY_MS; ms += 7 * DAY_MS) {
    if (offset(ms) === offset(ms + 7 * DAY_MS)) continue;
    let [low, high] = [ms, ms + 7 * DAY_MS];
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2);
      if (offset(middle) === offset(ms)) low = middle;
      else high = middle;
    }
    return high;
  }
  return null;
}

/** The times at which the zone's clock shows this minute on each of seven local dates around `atMs`. */
function occurrences(zone: string, minuteOfDay: number, atMs: number): number[][] {
  const offset = (ms: number) => IANAZone.create(zone).offset(ms) * MINUTE_MS;
  const steps = [-4, -3, -2, -1, 0, 1, 2];
  const offsets = new Set(steps.map((step) => offset(atMs + step * DAY_MS)));
  const midnightMs = Math.floor(atMs / DAY_MS) * DAY_MS;
  return steps.map((step) => {
    const localMs = midnightMs + step * DAY_MS + minuteOfDay * MINUTE_MS;
    const found = [...offsets].map((one) => localMs - one).filter((ms) => ms + offset(ms) === localMs);
    return found.sort((one, other) => one - other);
  });
}

describe('allowance windows in any time zone, near clock changes', () => {
  const minutes = fc.oneof(
    fc.integer({ min: 0, max: 1439 }),
    fc.integer({ min: 0, max: 12 }).map((n) => n * 15),
  );

  test('whichever repeated time starts a day, an allowance window includes all its calls', () => {
    fc.assert(
      fc.property(times, minutes, ({ zone, atMs }, minuteOfDay) => {
        const day: DayStart = { kind: 'fixed', minuteOfDay, timeZone: zone };
        const sinceMs = windowsAt(allowanceOf({ perDay: 1, day }), atMs)[0]?.sinceMs;
        const starts = occurrences(zone, minuteOfDay, atMs);
        fc.pre(starts.every(({ length }) => length > 0));
        for (const which of [0, -1]) {
          const began = starts.map((times) => times.at(which) ?? 0);
          expect(sinceMs).toBeLessThanOrEqual(Math.max(...began.filter((ms) => ms <= atMs)));
        }
      }),
      { numRuns: 300 },
    );
  });
});

test.each(
  windowRows().flatMap(({ name, span, words }) => (span.kind === 'calendar' ? [{ name, span, words }] : [])),
)(
  'the words for the window $name are those of its period',
  ({ span: { unit, lengthMs, canRoll }, words }) => {
    const current = unit === 'day' ? 'today' : `this ${unit}`;
    const days = lengthMs / DAY_MS;
    const rolling = days === 1 ? 'in the last 24 hours' : `in the last ${days} days`;
    expect(words).toEqual({ per: `a ${unit}`, current, rolling: canRoll ? rolling : current });
  },
);
