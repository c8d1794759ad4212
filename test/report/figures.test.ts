import { expect, test } from 'vitest';
import { hasFailed, runEnding } from '../../src/ending.ts';
import { byteSize, count, counted, duration, localTime, percent } from '../../src/report/figures.ts';

const NOON_MS = Date.UTC(2027, 6, 1, 12, 5);

test('a printed number has thousands separators, and infinity is printed as unlimited', () => {
  expect([0, 999.6, 1234567, Infinity].map(count)).toEqual(['0', '1,000', '1,234,567', 'unlimited']);
  expect([0, 1, 1200].map((value) => counted(value, 'call'))).toEqual(['0 calls', '1 call', '1,200 calls']);
  expect(counted(2, 'company', 'companies')).toBe('2 companies');
});

test('a share below 1 is never rounded to 100%, and a share above 0 is never rounded to 0%', () => {
  expect([1, 0.9999, 0.5, 0.001, 0.0001, 0].map(percent)).toEqual([
    '100 %',
    '99.9 %',
    '50 %',
    '0.1 %',
    '< 0.1 %',
    '0 %',
  ]);
});

test('a printed duration has at most two units', () => {
  const seconds = [-1, 0.4, 1, 59, 60, 200, 3600, 47 * 3600 + 300, 48 * 3600, 76 * 3600];
  expect(seconds.map((value) => duration(1000 * value))).toEqual([
    '0 ms',
    '400 ms',
    '1 s',
    '59 s',
    '1 min',
    '3 min 20 s',
    '1 h',
    '47 h 5 min',
    '2 days',
    '3 days 4 h',
  ]);
});

test('a printed time names its zone', () => {
  expect(localTime(NOON_MS)).toBe('1 Jul 2027, 12:05 UTC');
  expect(localTime(NOON_MS, 'UTC')).toBe('1 Jul 2027, 12:05 UTC');
  expect(localTime(NOON_MS, 'Europe/Oslo')).toBe('1 Jul 2027, 14:05 CEST');
});

test('a printed size has at least two digits, in decimal units', () => {
  expect([1, 999, 1000, 4_160_000, 41_600_000, 5e15].map(byteSize)).toEqual([
    '1 byte',
    '999 bytes',
    '1.0 kB',
    '4.2 MB',
    '42 MB',
    '5000 TB',
  ]);
});

test("a run's ending distinguishes killed runs, runs in progress and unknown endings", () => {
  const run = (ended: string | null, error: string | null = null) => ({ command: 'sync', ended, error });
  expect(runEnding(run(null))).toBe('killed');
  expect(runEnding(run(null), true)).toBe('running');
  expect(runEnding(run('allowance'))).toBe('quota used up');
  expect(runEnding({ ...run('allowance'), command: 'backfill' })).toBe('quota for backfills used up');
  expect(runEnding(run('failed', 'disk full'))).toBe('failed: disk full');
  expect(runEnding(run('of_another_version'))).toBe('of another version');
  const endings = ['failed', 'unauthorised', 'drift', 'done', 'allowance', null];
  expect(endings.map((ended) => hasFailed({ ended }))).toEqual([true, true, true, false, false, false]);
});
