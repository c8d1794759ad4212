import stringWidth from 'string-width';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Output } from '../../src/cli/output.ts';
import { type Progress, progressLine, showProgress } from '../../src/cli/progress.ts';
import type { Clock } from '../../src/clock.ts';
import type { Outcome } from '../../src/outcome.ts';
import { EMPTY_TOTALS } from '../../src/run_totals.ts';

const NOW_MS = Date.UTC(2027, 2, 10, 12);
const MINUTE_MS = 60_000;

beforeAll(() => void vi.stubEnv('TZ', 'UTC'));
afterAll(() => void vi.unstubAllEnvs());

const progress = (changes: Partial<Progress> = {}): Progress => ({
  totals: { ...EMPTY_TOTALS, calls: 42, listed: 1_204, fetched: 12 },
  last: { call: { kind: 'entity', entityId: '東京'.repeat(20) } } as unknown as Outcome,
  startedMs: NOW_MS - 5 * MINUTE_MS,
  nowMs: NOW_MS,
  maxCalls: 100,
  ...changes,
});

test('the progress line begins with the calls, the rate and the latest finish time', () => {
  expect(progressLine(progress(), 200)).toMatch(
    /^42 of at most 100 calls · 8\/min · ends by 12:06 UTC · 1,204 new · 12 records · record 東京/,
  );
});

test.each([60, 80, 120])(
  'the progress line fits into %i columns and keeps its first three parts',
  (columns) => {
    const line = progressLine(progress(), columns - 1);
    expect(stringWidth(line)).toBeLessThan(columns);
    expect(line).toContain('42 of at most 100 calls · 8/min · ends by 12:06 UTC');
  },
);

test('a finish time on another day is shown with its date', () => {
  expect(progressLine(progress({ maxCalls: 50_000 }), 79)).toContain('ends by 14 Mar 15:07 UTC');
});

test('the progress line of a run without a limit shows only the calls sent', () => {
  const line = progressLine(progress({ maxCalls: Number.POSITIVE_INFINITY }), 200);
  expect(line).toMatch(/^42 calls · 8\/min · 1,204 new/);
});

test('the progress line prints no control characters from an id', () => {
  const last = { call: { kind: 'entity', entityId: '\u001b[2J' } } as unknown as Outcome;
  expect(progressLine(progress({ last }), 200)).not.toContain('\u001b');
});

test('a run reports immediately that a refused key pauses it for a minute', () => {
  const lines: string[] = [];
  const output = { detail() {}, progress() {}, columns: 80, announce: (line: string) => lines.push(line) };
  const show = showProgress(output as unknown as Output, { now: () => NOW_MS } as Clock, 10);
  const refusal = (isUnconfirmed?: true) =>
    ({
      call: { kind: 'entity', entityId: '1' },
      verdict: { is: 'unauthorised', why: 'HTTP 401', isUnconfirmed },
    }) as unknown as Outcome;
  show(EMPTY_TOTALS, [refusal(true)]);
  show(EMPTY_TOTALS, [refusal()]);
  expect(lines).toEqual([
    expect.stringMatching(/refused the key, which has worked before\. No call is sent for one minute\./),
  ]);
});
