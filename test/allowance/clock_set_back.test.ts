import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Ledger, LOOKAHEAD_MS, type Slot } from '../../src/allowance/ledger.ts';
import { ledgerOf, spendAll, spendAt } from '../support/ledger.ts';

const T0 = Date.parse('2026-03-01T12:00:00Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function at(time: string): number {
  return Date.parse(`2026-03-${time}Z`);
}

describe('a clock that is set back and right again', () => {
  test('in the first hours of a day gives that day nothing twice', () => {
    const ledger = ledgerOf({ perDay: 50 });
    expect(spendAll(ledger, at('02T00:30'))).toBe(50);
    expect(spendAll(ledger, at('01T22:30'))).toBe(0);
    expect(spendAll(ledger, at('02T00:45'))).toBe(0);
    expect(spendAll(ledger, at('02T23:00'))).toBe(0);
    expect(spendAll(ledger, at('03T00:01'))).toBe(50);
  });

  test('counts what was made meanwhile in the day in which it is right again', () => {
    const ledger = ledgerOf({ perDay: 50 });
    spendAt(ledger, at('01T23:30'), { most: 10 });
    expect(spendAll(ledger, at('01T20:00'))).toBe(40);
    // Those 40 may have been made after midnight: the right clock does not know.
    expect(spendAll(ledger, at('02T01:00'))).toBe(10);
    expect(spendAll(ledger, at('03T00:01'))).toBe(50);
  });

  test('counts so too what was made after it had come to the old time by itself', () => {
    const ledger = ledgerOf({ perDay: 50 });
    spendAt(ledger, at('01T18:00'));
    spendAt(ledger, at('01T15:00'));
    expect(spendAll(ledger, at('01T22:00'))).toBe(48);
    expect(spendAll(ledger, at('02T01:30'))).toBe(1);
  });

  test('lets a rolling day go no call early', () => {
    const ledger = ledgerOf({ perDay: 10, day: { kind: 'rolling' } });
    spendAt(ledger, T0, { most: 1 });
    expect(spendAll(ledger, T0 - 4 * HOUR_MS)).toBe(9);
    // Right again after a minute: nine calls are made at T0 at the earliest.
    expect(spendAt(ledger, T0 + MINUTE_MS).is).toBe('spent');
    expect(spendAll(ledger, T0 + DAY_MS - HOUR_MS)).toBe(0);
  });

  test('to the beginning of all time, as at a start without a battery, spends the day no second time', () => {
    const ledger = ledgerOf({ perDay: 50 });
    expect(spendAll(ledger, T0)).toBe(50);
    expect(spendAll(ledger, 60_000)).toBe(0);
    expect(spendAll(ledger, T0 + MINUTE_MS)).toBe(0);
    expect(spendAll(ledger, T0 + DAY_MS)).toBe(50);
  });

  test('overspends no day of the right time, whenever it is set and whoever asks how often', () => {
    const steps = fc.array(
      fc.record({
        waitMs: fc.integer({ min: 1000, max: 90 * MINUTE_MS }),
        most: fc.integer({ min: 1, max: 12 }),
        // Further than the longest wait: a clock that is set back by less than what passed since shows nothing of it.
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
});

describe('a clock that ran ahead and is put right', () => {
  test('freezes neither slots nor pauses nor windows', () => {
    const ledger = ledgerOf({ perMinute: 600, perDay: 50 });
    const aheadMs = T0 + 400 * DAY_MS;
    for (let ms = 0; ms < 20_000; ms += 1000) spendAt(ledger, aheadMs + ms);
    ledger.pauseUntil(aheadMs + 30_000, aheadMs + 20_000);
    expect(spendAt(ledger, T0)).toEqual({ is: 'wait', untilMs: T0 + 10_000 - LOOKAHEAD_MS });
    expect(ledger.state(T0)).toMatchObject({ pausedUntilMs: T0 + 10_000, left: 30 });
    expect(spendAt(ledger, T0 + 10_000).is).toBe('go');
  });

  test('to 2099 costs three days at most', () => {
    const ledger = ledgerOf({ perDay: 50 });
    expect(spendAll(ledger, Date.parse('2099-01-01T10:00Z'))).toBe(50);
    const days = [0, 1, 2, 3, 4].map((day) => spendAll(ledger, T0 + day * DAY_MS));
    expect(days).toEqual([0, 0, 0, 50, 50]);
  });

  test('by a day costs that day, and half of a week for whoever spends late in the day', () => {
    const ledger = ledgerOf({ perDay: 50 });
    expect(spendAll(ledger, T0 + DAY_MS)).toBe(50);
    const days = Array.from({ length: 12 }, (_, day) => spendAll(ledger, T0 + day * DAY_MS));
    expect(days).toEqual([0, 0, 50, 0, 50, 0, 50, 0, 50, 50, 50, 50]);
  });

  test('in 2099 forgets nothing of what today was spent', () => {
    const ledger = ledgerOf({ perDay: 50, perMonth: 200 });
    spendAt(ledger, T0, { most: 30 });
    spendAt(ledger, Date.parse('2099-01-01T10:00Z'), { most: 5 });
    expect(spendAll(ledger, T0 + MINUTE_MS)).toBe(15);
  });

  test('frees an account that only looks at what is left, and spends nothing while nothing is', () => {
    const ledger = ledgerOf({ perDay: 50 });
    expect(spendAll(ledger, Date.parse('2099-01-01T10:00Z'))).toBe(50);
    ledger.usedBy('warehouse.db', T0);
    expect(ledger.state(T0).left).toBe(0);
    expect(ledger.state(T0 + 2 * DAY_MS).left).toBe(0);
    expect(ledger.state(T0 + 3 * DAY_MS).left).toBe(50);
  });

  test('an exhaustion lasts as long as it would have', () => {
    const ledger = ledgerOf({ perDay: 50 });
    ledger.exhaustedUntil(T0 + 100 * DAY_MS + HOUR_MS, T0 + 100 * DAY_MS);
    expect(spendAt(ledger, T0)).toEqual({ is: 'spent', untilMs: T0 + HOUR_MS, window: 'upstream' });
    expect(spendAt(ledger, T0 + HOUR_MS).is).toBe('go');
  });

  test('by a second or two, it is only waited for', () => {
    const ledger = ledgerOf({ perMinute: 600 });
    spendAt(ledger, T0 + 2000);
    expect(spendAt(ledger, T0)).toMatchObject({ is: 'wait' });
    expect(spendAt(ledger, T0 + 2200).is).toBe('go');
    expect(ledger.state(T0 + 2200).clockDoubt).toBeNull();
  });
});

describe('the doubt', () => {
  test('is shown, also of the way the clock has still to go', () => {
    const ledger = ledgerOf({ perDay: 50 });
    expect(doubtAfterSetBack(ledger)).toEqual({ is: 'behind', latestMs: T0, untilMs: T0 });
    spendAt(ledger, T0 + MINUTE_MS);
    expect(ledger.state(T0 + MINUTE_MS).clockDoubt).toEqual({
      is: 'late',
      lateMs: 5 * HOUR_MS,
      untilMs: T0 + MINUTE_MS + 7 * DAY_MS,
    });
  });

  test('ends after a week in which the clock was not set back again', () => {
    const ledger = ledgerOf({ perDay: 50 });
    doubtAfterSetBack(ledger);
    for (let day = 0; day <= 8; day++) spendAt(ledger, T0 + day * DAY_MS);
    expect(ledger.state(T0 + 8 * DAY_MS).clockDoubt).toBeNull();
    spendAll(ledger, at('10T23:00'));
    expect(ledger.state(at('11T00:30')).left).toBe(50);
  });

  test('ends when the upstream shows the same time, which dates all calls to now at the latest', () => {
    const ledger = ledgerOf({ perDay: 50 });
    spendAll(ledger, Date.parse('2099-01-01T10:00Z'));
    expect(spendAt(ledger, T0).is).toBe('spent');
    ledger.clockAgrees(T0);
    expect(ledger.state(T0).clockDoubt).toBeNull();
    expect(spendAll(ledger, T0 + DAY_MS)).toBe(50);
  });

  test('a call that never left gives its unit back while it is in doubt, and not afterwards', () => {
    const ledger = ledgerOf({ perDay: 3 });
    spendAt(ledger, T0);
    const behind = spendAt(ledger, T0 - HOUR_MS, { most: 2 });
    const [one, other] = (behind.is === 'go' ? behind.slots : []) as [Slot, Slot];
    ledger.giveBack(one);
    expect(ledger.state(T0 - HOUR_MS).left).toBe(1);
    spendAt(ledger, T0 + MINUTE_MS);
    ledger.giveBack(other);
    expect(ledger.state(T0 + MINUTE_MS).left).toBe(0);
    expect(spendAll(ledger, T0 + 2 * DAY_MS)).toBe(3);
  });
});

/** The clock shows T0, and then three hours less. */
function doubtAfterSetBack(ledger: Ledger) {
  spendAt(ledger, T0);
  spendAt(ledger, T0 - 3 * HOUR_MS);
  return ledger.state(T0 - 3 * HOUR_MS).clockDoubt;
}

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
