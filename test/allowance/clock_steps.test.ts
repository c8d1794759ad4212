import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ledgerOf, spendAt } from '../support/ledger.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

test('no real day exceeds its limit, however the clock steps', () => {
  const steps = fc.array(
    fc.record({
      waitMs: fc.integer({ min: 1000, max: 90 * MINUTE_MS }),
      most: fc.integer({ min: 1, max: 12 }),
      // Each step is longer than the longest wait. The ledger cannot detect a step shorter than the time since the last
      // call.
      set: fc.option(fc.integer({ min: 91 * MINUTE_MS, max: 8 * HOUR_MS }), { nil: null, freq: 12 }),
    }),
    { minLength: 20, maxLength: 120 },
  );
  fc.assert(
    fc.property(steps, (script) => {
      const ledger = ledgerOf({ perDay: 30, perMonth: 70 });
      const [byDay, byMonth] = [new Map<string, number>(), new Map<string, number>()];
      let realMs = Date.parse('2026-03-29T20:00Z');
      let behindMs = 0;
      spendAt(ledger, realMs - MINUTE_MS);
      count(byDay, dayOf(realMs), 1);
      count(byMonth, monthOf(realMs), 1);
      for (const { waitMs, most, set } of script) {
        realMs += waitMs;
        if (set !== null) behindMs = behindMs > 0 ? 0 : set;
        const spent = spendAt(ledger, realMs - behindMs, { most });
        if (spent.is !== 'go') continue;
        for (const { atMs } of spent.slots) {
          expect(count(byDay, dayOf(atMs + behindMs), 1)).toBeLessThanOrEqual(30);
          expect(count(byMonth, monthOf(atMs + behindMs), 1)).toBeLessThanOrEqual(70);
        }
      }
    }),
    { numRuns: 60 },
  );
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
