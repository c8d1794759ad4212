import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { earlyRecords, failedChecks, type SentCall, soonerThanRate } from './rate_checks.ts';
import type { TrialResult } from './rate_trial.ts';

describe('soonerThanRate', () => {
  const everyMs = (spacingMs: number) => Array.from({ length: 70 }, (_, nth) => nth * spacingMs);

  test('the check accepts calls at their slots, even if one is late', () => {
    expect(soonerThanRate(everyMs(1017), 60)).toBe(0);
    expect(soonerThanRate([0, 1017, 2034 + 250, 3051, 4068], 60)).toBe(0);
  });

  test('the check reports a burst, and spacing that permits more than 60 calls in 60 s', () => {
    expect(soonerThanRate([0, 10, 20, 30], 60)).toBe(3);
    expect(soonerThanRate(everyMs(999), 60)).toBeGreaterThan(0);
  });
});

describe('earlyRecords', () => {
  const call = (kind: SentCall['kind'], sentAtMs: number, expected: number): SentCall => ({
    ...{ kind, sentAtMs, expected },
    ...{ reason: '', new: 0, ms: 50 },
  });
  const companies = 100;

  test('the check finds record calls before and during a search that should find new companies', () => {
    const calls = [
      call('search', 0, 9),
      call('entity', 20, 1),
      call('entity', 1000, 1),
      call('search', 2000, 7),
    ];
    expect(earlyRecords(calls, { listed: 100, companies })).toEqual([
      { bestSearch: 7, isDuringSearch: true },
      { bestSearch: 7, isDuringSearch: false },
    ]);
  });

  test('the check finds record calls at the end of a run that has not listed all companies', () => {
    const calls = [call('search', 0, 9), call('entity', 1000, 1)];
    expect(earlyRecords(calls, { listed: 60, companies })).toHaveLength(1);
    expect(earlyRecords(calls, { listed: 100, companies })).toEqual([]);
  });

  test('the check does not report a control call before a search', () => {
    const calls = [call('entity', 0, 0), call('search', 1000, 9)];
    expect(earlyRecords(calls, { listed: 100, companies })).toEqual([]);
  });
});

describe('failedChecks', () => {
  const result = (connections: number, changes: Partial<TrialResult> = {}): TrialResult => ({
    trial: { rule: 'word prefix', perMinute: 60, maxCalls: 8, connections, responseMs: 50 },
    ended: 'max_calls',
    calls: { stats: 1, search: 7, entity: 0 },
    ...{ listed: 500, fetched: 0, peakMinute: 8, overAllowance: 0, tooSoon: 0 },
    ...{ earlyRecords: 0, duringSearch: 0, bestSearch: 0 },
    ...changes,
  });

  test('the check returns no failure for runs with equal results', () => {
    expect(failedChecks([result(1), result(4), result(16, { listed: 490 })])).toEqual([]);
  });

  test.each<[string, Partial<TrialResult>]>([
    ['489 companies listed, 97.8 % of 500 with 1 connection', { listed: 489 }],
    ['61 arrivals in 60 s', { peakMinute: 61 }],
    ['1 arrivals over the allowance', { overAllowance: 1 }],
    ['2 arrivals before their slot', { tooSoon: 2 }],
    ['ended with done, not max_calls', { ended: 'done' }],
    ['7 of 8 calls are in the warehouse', { calls: { stats: 1, search: 6, entity: 0 } }],
    [
      '1 records fetched while a search was expected to find up to 7 companies',
      { earlyRecords: 1, bestSearch: 7.2 },
    ],
  ])('the check fails with: %s', (failure, changes) => {
    expect(failedChecks([result(1), result(4, changes)])).toEqual([
      `word prefix, 60/min, 4 connections, 50 ms: ${failure}`,
    ]);
  });
});

test('sync finds as many companies with 4 connections as with 1, within the rate', async () => {
  const command = promisify(execFile)(process.execPath, ['test/acceptance/rate.ts', '--quick', '--json'], {
    cwd: resolve(import.meta.dirname, '../..'),
  });
  const { stdout } = await command.catch((error: { stdout: string }) => error);
  expect(JSON.parse(stdout)).toMatchObject({ failures: [], runs: 2 });
}, 60_000);
