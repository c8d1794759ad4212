import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CLOCK_TOLERANCE_MS } from '../../src/allowance/ledger_clock.ts';
import { ledgerOf, spendAt } from '../support/ledger.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const YEAR_MS = 365 * DAY_MS;
const START_MS = Date.parse('2026-03-29T20:00Z');

const stepMs = fc.oneof(
  fc.integer({ min: -3000, max: 3000 }),
  fc.integer({ min: -8 * 60 * MINUTE_MS, max: 8 * 60 * MINUTE_MS }),
  fc.integer({ min: -40 * DAY_MS, max: 40 * DAY_MS }),
  fc.constantFrom(-70 * YEAR_MS, 70 * YEAR_MS),
);

test('no real day or month exceeds its limit if responses state the time, however the clock steps', () => {
  const steps = fc.array(
    fc.record({
      waitMs: fc.integer({ min: 1000, max: 90 * MINUTE_MS }),
      step: fc.option(stepMs, { nil: null, freq: 6 }),
      isRepaired: fc.boolean(),
    }),
    { minLength: 20, maxLength: 120 },
  );
  fc.assert(
    fc.property(steps, (script) => {
      let realMs = START_MS;
      let offsetMs = 0;
      const boot = () => ({ bootId: 'boot', uptimeMs: realMs - START_MS + DAY_MS });
      const ledger = ledgerOf({ perDay: 12, perMonth: 40 }, { boot });
      const [byDay, byMonth] = [new Map<string, number>(), new Map<string, number>()];
      spendAt(ledger, realMs);
      count(byDay, dayOf(realMs), 1);
      count(byMonth, monthOf(realMs), 1);
      for (const { waitMs, step, isRepaired } of script) {
        realMs += waitMs;
        if (isRepaired) offsetMs = 0;
        if (step !== null) offsetMs = step;
        const spent = spendAt(ledger, realMs + offsetMs);
        if (spent.is !== 'go') continue;
        expect(count(byDay, dayOf(realMs), 1)).toBeLessThanOrEqual(12);
        expect(count(byMonth, monthOf(realMs), 1)).toBeLessThanOrEqual(40);
        // The engine compares the response's Date with the clock.
        const isWrong = Math.abs(offsetMs) > CLOCK_TOLERANCE_MS;
        if (isWrong) for (const slot of spent.slots) ledger.redate(slot, realMs);
        ledger.setTime(isWrong ? realMs : realMs + offsetMs);
      }
      // With a right clock, the account can spend again on the next day.
      realMs += 40 * DAY_MS;
      expect(spendAt(ledger, realMs).is).toBe('go');
    }),
    { numRuns: 100 },
  );
});

test('a clock that is behind the last call by more than two minutes stops all calls until it is right', () => {
  const ledger = ledgerOf({ perDay: 12 });
  spendAt(ledger, START_MS);
  expect(spendAt(ledger, START_MS - 60_000)).toMatchObject({ is: 'wait' });
  expect(spendAt(ledger, START_MS - 121_000)).toEqual({
    is: 'clock',
    fault: { is: 'behind', byMs: 121_000, latestMs: START_MS },
  });
  expect(ledger.state(START_MS - 121_000).clockFault).toMatchObject({ is: 'behind' });
  expect(spendAt(ledger, START_MS + 1000).is).toBe('go');
});

test('a clock that jumps ahead permits no call beyond the allowance of the time before', () => {
  let uptimeMs = 5000;
  const ledger = ledgerOf({ perDay: 2 }, { boot: () => ({ bootId: 'boot', uptimeMs }) });
  spendAt(ledger, START_MS);
  uptimeMs += 60_000;
  spendAt(ledger, START_MS + 60_000);
  uptimeMs += 60_000;
  expect(spendAt(ledger, START_MS + 120_000 + 3 * DAY_MS)).toMatchObject({
    is: 'clock',
    fault: { is: 'ahead', byMs: 3 * DAY_MS },
  });
});

function count(calls: Map<string, number>, key: string, more: number): number {
  const made = (calls.get(key) ?? 0) + more;
  calls.set(key, made);
  return made;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function monthOf(ms: number): string {
  return dayOf(ms).slice(0, 7);
}
