import { expect, test } from 'vitest';
import { Backoff } from '../../src/fetch/ledger_reports.ts';
import type { Verdict } from '../../src/outcome.ts';

const throttled: Verdict = { is: 'throttled', untilMs: 0, why: 'HTTP 429' };

function pauseOf(verdict: Verdict, nowMs: number): number | null {
  return verdict.is === 'throttled' ? verdict.untilMs - nowMs : null;
}

test('calls throttled while they are in flight together count as one', () => {
  const backoff = new Backoff();
  const pauses = [1000, 1010, 1020].map((nowMs) => pauseOf(backoff.observe(throttled, 900, nowMs), nowMs));
  expect(pauses).toEqual([1000, 1000, 1000]);
});

test.each<Verdict>([
  { is: 'absent', shape: '404' },
  { is: 'gone', answer: { kind: 'record', entityId: 'C1', name: null, document: {} } },
])('a response about an entity resets the pause, but a failure does not: $is', (verdict) => {
  const backoff = new Backoff();
  backoff.observe(throttled, 0, 0);
  backoff.observe({ is: 'broken', why: 'HTTP 500' }, 2000, 2000);
  expect(pauseOf(backoff.observe(throttled, 3000, 3000), 3000)).toBe(2000);
  backoff.observe(verdict, 6000, 6000);
  expect(pauseOf(backoff.observe(throttled, 7000, 7000), 7000)).toBe(1000);
});

test('a longer pause that the upstream requests takes precedence', () => {
  const backoff = new Backoff();
  expect(pauseOf(backoff.observe({ ...throttled, untilMs: 60_000 }, 0, 0), 0)).toBe(60_000);
});

test('the accepted spacing is slightly longer than the average between two throttled calls', () => {
  const backoff = new Backoff();
  const served: Verdict = { is: 'absent', shape: '404' };
  const perMinute = 4;
  let nowMs = 0;
  // The upstream serves four calls in each minute. The mirror tries one every five seconds.
  for (const minute of [0, 1]) {
    for (nowMs = minute * 60_000; nowMs < minute * 60_000 + perMinute * 5000; nowMs += 5000)
      backoff.observe(served, nowMs, nowMs);
    expect(backoff.spacingMs).toBe(0);
    backoff.observe({ ...throttled, untilMs: (minute + 1) * 60_000 }, nowMs, nowMs);
  }
  expect(backoff.spacingMs).toBe((60_000 / perMinute) * 1.05);
  backoff.observe(served, 125_000, 125_000);
  backoff.observe(throttled, 130_000, 130_000);
  expect(backoff.spacingMs).toBe((60_000 / perMinute) * 1.05 ** 2);
});

test('a call that was in flight when another one was throttled shows no accepted spacing', () => {
  const backoff = new Backoff();
  backoff.observe({ ...throttled, untilMs: 60_000 }, 100, 200);
  backoff.observe({ is: 'absent', shape: '404' }, 150, 250);
  expect(pauseOf(backoff.observe(throttled, 60_000, 60_000), 60_000)).toBe(2000);
  expect(backoff.spacingMs).toBe(0);
});

test('the accepted spacing is at most a minute, and throttled calls that are far apart show none', () => {
  const backoff = new Backoff();
  const served: Verdict = { is: 'absent', shape: '404' };
  const throttleAt = (nowMs: number) => {
    backoff.observe(served, nowMs - 1000, nowMs - 1000);
    backoff.observe(throttled, nowMs, nowMs);
    return backoff.spacingMs;
  };
  expect([throttleAt(0), throttleAt(3_600_000), throttleAt(3_900_000)]).toEqual([0, 0, 60_000]);
});
