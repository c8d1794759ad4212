import { describe, expect, onTestFinished, test } from 'vitest';
import type { WindowState } from '../../src/allowance/ledger.ts';
import { accountCostOf } from '../../src/cli/plan/cost.ts';
import {
  type CompletionFacts,
  type CompletionForecast,
  completionBounds,
  completionText,
  forecastMirror,
  readCompletion,
} from '../../src/report/completion_forecast.ts';
import { metaTable } from '../../src/warehouse/meta.ts';
import { startRun } from '../../src/warehouse/run.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { allowanceOf, UNLIMITED } from '../support/ledger.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2027, 0, 10);

const day = (left: number): WindowState => ({
  name: 'day',
  limit: 100,
  sinceMs: NOW_MS,
  resetsAtMs: NOW_MS + DAY_MS,
  spent: 100 - left,
  left,
});

const facts = (changes: Partial<CompletionFacts> = {}): CompletionFacts => ({
  nowMs: NOW_MS,
  stored: { at: new Date(NOW_MS).toISOString(), calls: { low: 150, high: 550 } },
  callsSince: 0,
  rejected: new Set(),
  isWhole: true,
  allowance: allowanceOf({ perDay: 100 }),
  ledger: { ...UNLIMITED, windows: [day(100)], left: 100 },
  ...changes,
});

const text = (changes: Partial<CompletionFacts> = {}) =>
  completionText(forecastMirror(facts(changes)), NOW_MS, 'UTC');

const calls = (low: number, high: number | null) => ({
  stored: { at: new Date(NOW_MS).toISOString(), calls: { low, high } },
});

describe("a mirror's completion", () => {
  test('a mirror is complete only if a count or a whole listing shows it', () => {
    expect(forecastMirror(facts({ ...calls(0, 0), isWhole: true })).is).toBe('complete');
    expect(forecastMirror(facts({ ...calls(0, 0), isWhole: false })).is).toBe('nothing_due');
  });

  const total: WindowState = { ...day(100), name: 'total', resetsAtMs: null };
  const oneTotal = {
    ledger: { ...UNLIMITED, windows: [total], left: 100 },
    allowance: allowanceOf({ total: 100 }),
  };

  test.each<[string, Partial<CompletionFacts>]>([
    // The daily limit permits 100 calls a day.
    ['Expected by 11–15 January', {}],
    ['Expected by 10–14 January', { callsSince: 140 }],
    ['Expected by 11 January – 4 February', calls(150, 2_550)],
    ['Expected by 31 December 2027 – 2 January 2028', calls(356 * 100, 358 * 100)],
    ['Expected by 13–15 February 2028', calls(400 * 100, 402 * 100)],
    ['Expected today', calls(5, 50)],
    ['Expected on 11 January at the earliest', calls(150, null)],
    ['Expected today at the earliest', calls(50, null)],
    ['Expected today at the earliest, if the allowance suffices', { ...calls(50, 150), ...oneTotal }],
    ['Never: the allowance permits 100 of at least 150 calls', oneTotal],
    ['Nothing is due', calls(0, 0)],
    ['Not estimated yet', { stored: null }],
    [
      'Unknown until the key is accepted',
      { ledger: { ...UNLIMITED, refusedKey: { fingerprint: 'k', sinceMs: 0 } } },
    ],
    ['Unknown until the upstream accepts a search', { rejected: new Set(['search', 'entity']) }],
    ['Unknown until the upstream returns a record', { rejected: new Set(['entity']) }],
    ['Nothing is due', { ...calls(0, 0), rejected: new Set(['entity']) }],
  ])('the completion is described as "%s"', (expected, changes) => {
    expect(text(changes)).toBe(expected);
  });

  test.each([
    ['a pause', { pausedUntilMs: NOW_MS + DAY_MS + 500 }],
    ['a reported exhaustion', { exhausted: { atMs: NOW_MS, untilMs: NOW_MS + DAY_MS, left: 0 } }],
  ])(
    'the completion uses the new limit of a window that resets during %s, as `plan` does',
    (_reason, closed) => {
      const ledger = { ...UNLIMITED, windows: [day(0)], left: 0, ...closed };
      const forecast = forecastMirror(facts({ ...calls(80, 150), ledger }));
      expect(completionText(forecast, NOW_MS, 'UTC')).toBe('Expected by 11–12 January');
      const none = { low: 0, high: 0 };
      const { low, high } = accountCostOf({
        calls: { stats: none, search: { low: 80, high: 150 }, entity: none },
        allowance: allowanceOf({ perDay: 100 }),
        state: ledger,
        purpose: 'scheduled',
        nowMs: NOW_MS,
        maxCalls: Number.POSITIVE_INFINITY,
        finishCondition: null,
      });
      expect(forecast).toMatchObject({ earliestMs: low.finishesAtMs, latestMs: high?.finishesAtMs });
    },
  );
});

describe("the completion's bounds", () => {
  test.each<[CompletionForecast, number | null, number | null]>([
    [{ is: 'unknown', until: null }, null, null],
    [{ is: 'complete', estimatedAtMs: NOW_MS }, NOW_MS, NOW_MS],
    [{ is: 'nothing_due', estimatedAtMs: NOW_MS }, NOW_MS, NOW_MS],
    [{ is: 'unaffordable', estimatedAtMs: NOW_MS, calls: 2, affordable: 1 }, Infinity, Infinity],
    [{ is: 'expected', estimatedAtMs: NOW_MS, earliestMs: 1, latestMs: null }, 1, null],
  ])("the completion's bounds are those of %o", (forecast, earliestMs, latestMs) => {
    expect(completionBounds(forecast)).toMatchObject({ earliestMs, latestMs });
  });
});

test("a warehouse's completion considers only calls sent since the estimate", () => {
  const { db, close } = openWarehouse({ path: ':memory:', nowMs: NOW_MS });
  onTestFinished(close);
  const { allowance, ledger } = facts();
  const read = (nowMs: number) =>
    completionText(readCompletion(db, { nowMs, allowance, ledger, isWhole: true }), nowMs, 'UTC');
  expect(read(NOW_MS)).toBe('Not estimated yet');
  metaTable(db).set('estimate', { at: new Date(NOW_MS).toISOString(), calls: { low: 2, high: 2 } });
  const runId = startRun(db, { command: 'sync', owner: null, nowMs: NOW_MS });
  const add = (atMs: number, outcome: string) =>
    db
      .prepare(
        `INSERT INTO _call (run_id, kind, target, reason, expected, sent_at, ms, outcome, bytes)
         VALUES (?, 'stats', '', '', 0, ?, 0, ?, 0)`,
      )
      .run(runId, new Date(atMs).toISOString(), outcome);
  add(NOW_MS - 1, 'ok');
  add(NOW_MS, 'ok');
  expect(read(NOW_MS + 2)).toBe('Expected today');
  add(NOW_MS + 2, 'broken');
  expect(read(NOW_MS + 1)).toBe('Expected today');
  expect(read(NOW_MS + 2)).toBe('Nothing is due');
});
