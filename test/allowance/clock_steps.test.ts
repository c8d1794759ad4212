import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ledger, Slot } from '../../src/allowance/ledger.ts';
import { ClockCheck } from '../../src/fetch/ledger_reports.ts';
import { ledgerOf, spendAt } from '../support/ledger.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
const START_MS = Date.parse('2026-03-29T20:00Z');
const [PER_DAY, PER_MONTH] = [12, 60];

/** From 3 seconds to 70 years, in both directions. */
const stepMs = fc.oneof(
  fc.integer({ min: -3000, max: 3000 }),
  fc.integer({ min: -2 * MINUTE_MS, max: 2 * MINUTE_MS }),
  fc.integer({ min: -8 * HOUR_MS, max: 8 * HOUR_MS }),
  fc.integer({ min: -40 * DAY_MS, max: 40 * DAY_MS }),
  fc.constantFrom(-70 * YEAR_MS, 70 * YEAR_MS),
);

const scripts = fc.array(
  fc.record({
    waitMs: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 1000, max: 90 * MINUTE_MS }) },
      { weight: 2, arbitrary: fc.integer({ min: DAY_MS, max: 5 * DAY_MS }) },
    ),
    step: fc.option(stepMs, { nil: null, freq: 3 }),
    isRepaired: fc.boolean(),
    most: fc.integer({ min: 1, max: PER_DAY }),
    process: fc.nat(1),
    isLost: fc.boolean(),
    isReturned: fc.boolean(),
  }),
  { minLength: 20, maxLength: 80 },
);

test.each([
  { date: 'the time', day: 'fixed' },
  { date: 'the time', day: 'rolling' },
  { date: 'no time', day: 'fixed' },
  { date: 'no time', day: 'rolling' },
] as const)(
  'no $day day exceeds its limit if responses state $date, however the clock steps',
  ({ date, day }) => {
    fc.assert(
      fc.property(scripts, (script) => {
        let realMs = START_MS;
        let offsetMs = 0;
        const path = join(temporaryFolder(), 'ledger.db');
        const boot = () => ({ bootId: 'boot', uptimeMs: realMs - START_MS + DAY_MS });
        const allowance =
          day === 'fixed'
            ? { perDay: PER_DAY, perMonth: PER_MONTH }
            : { perDay: PER_DAY, day: { kind: day } };
        const ledgers = [0, 1].map(() => ledgerOf(allowance, { path, boot }));
        const checks = ledgers.map(clockCheckOf);
        const arrivals: number[] = [];
        expect(spendAt(ledgers[0] as Ledger, realMs).is).toBe('go');
        arrivals.push(realMs);
        for (const { waitMs, step, isRepaired, most, process, isLost, isReturned } of script) {
          realMs += waitMs;
          if (isRepaired) offsetMs = 0;
          if (step !== null) offsetMs = step;
          const ledger = ledgers[process] as Ledger;
          const spent = spendAt(ledger, realMs + offsetMs, { most });
          if (spent.is !== 'go') continue;
          const sent = isReturned ? spent.slots.slice(1) : spent.slots;
          if (isReturned) ledger.giveBack([spent.slots[0] as Slot]);
          arrivals.push(...sent.map(() => realMs));
          if (date === 'no time' || isLost) continue;
          for (const slot of sent) {
            const check = checks[process] as ClockCheck;
            check.observe({ date: new Date(realMs).toUTCString() }, realMs + offsetMs);
            if (check.offsetMs !== 0) ledger.redate(slot, realMs);
          }
        }
        const spans = day === 'fixed' ? countedBy(arrivals, 10) : fullestSpan(arrivals);
        expect(spans).toBeLessThanOrEqual(PER_DAY);
        if (day === 'fixed') expect(countedBy(arrivals, 7)).toBeLessThanOrEqual(PER_MONTH);
      }),
      { numRuns: 50 },
    );
  },
);

test('after any steps, each call counts once, and the account can spend again once a response has confirmed the clock', () => {
  fc.assert(
    fc.property(fc.array(stepMs, { maxLength: 20 }), (steps) => {
      let realMs = START_MS;
      const boot = () => ({ bootId: 'boot', uptimeMs: realMs - START_MS + DAY_MS });
      const ledger = ledgerOf({ perDay: PER_DAY }, { boot });
      const check = clockCheckOf(ledger);
      let calls = 0;
      for (const offsetMs of [...steps, 0]) {
        realMs += HOUR_MS;
        const spent = spendAt(ledger, realMs + offsetMs);
        if (spent.is !== 'go') continue;
        calls += spent.slots.length;
        check.observe({ date: new Date(realMs).toUTCString() }, realMs + offsetMs);
        for (const slot of spent.slots) if (check.offsetMs !== 0) ledger.redate(slot, realMs);
      }
      expect(ledger.state(realMs).windows[0]?.spent).toBeLessThanOrEqual(calls);
      realMs += 2 * DAY_MS;
      expect(spendAt(ledger, realMs).is).toBe('go');
    }),
    { numRuns: 40 },
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

test.each([
  { fault: 'ahead', waitMs: 2 * MINUTE_MS, stepMs: 3 * DAY_MS },
  { fault: 'set_back', waitMs: 5 * DAY_MS, stepMs: -2 * DAY_MS },
] as const)(
  'a clock in doubt ($fault) permits no call beyond the allowance at both possible times',
  (step) => {
    let uptimeMs = 5000;
    const ledger = ledgerOf({ perDay: 2 }, { boot: () => ({ bootId: 'boot', uptimeMs }) });
    spendAt(ledger, START_MS, { most: step.fault === 'ahead' ? 2 : 1 });
    uptimeMs += step.waitMs;
    const nowMs = START_MS + step.waitMs + step.stepMs;
    if (step.fault === 'set_back')
      for (let call = 0; call < 2; call++) expect(spendAt(ledger, nowMs).is).toBe('go');
    const fault = { is: step.fault, byMs: Math.abs(step.stepMs) };
    expect(spendAt(ledger, nowMs)).toEqual({ is: 'clock', fault });
    expect(ledger.state(nowMs)).toMatchObject({ left: 0, clockFault: fault });
    // Once the clock is right again, the calls of the doubtful time still count.
    if (step.fault === 'set_back') expect(spendAt(ledger, START_MS + step.waitMs).is).toBe('spent');
  },
);

function clockCheckOf(ledger: Ledger): ClockCheck {
  return new ClockCheck({
    checksClock: true,
    trustsClock: false,
    setTime: (...times) => ledger.setTime(...times),
  });
}

/** Returns the highest number of calls in a UTC day (`length` 10) or month (7). */
function countedBy(arrivals: readonly number[], length: number): number {
  const spans = Map.groupBy(arrivals, (ms) => new Date(ms).toISOString().slice(0, length));
  return Math.max(...[...spans.values()].map((calls) => calls.length));
}

/** Returns the highest number of calls in any 24 hours. */
function fullestSpan(arrivals: readonly number[]): number {
  return Math.max(
    ...arrivals.map((from) => arrivals.filter((ms) => ms >= from && ms < from + DAY_MS).length),
  );
}
