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

describe('a slow clock that is corrected', () => {
  test("setting the clock back past midnight does not permit a day's calls twice", () => {
    const ledger = ledgerOf({ perDay: 50 });
    expect(spendAll(ledger, at('02T00:30'))).toBe(50);
    expect(spendAll(ledger, at('01T22:30'))).toBe(0);
    expect(spendAll(ledger, at('02T00:45'))).toBe(0);
    expect(spendAll(ledger, at('02T23:00'))).toBe(0);
    expect(spendAll(ledger, at('03T00:01'))).toBe(50);
  });

  test('calls made while the clock was slow count on the day of its correction', () => {
    const ledger = ledgerOf({ perDay: 50 });
    spendAt(ledger, at('01T23:30'), { most: 10 });
    expect(spendAll(ledger, at('01T20:00'))).toBe(40);
    // The 40 calls may have been made after midnight. The corrected clock does not reveal their time.
    expect(spendAll(ledger, at('02T01:00'))).toBe(10);
    expect(spendAll(ledger, at('03T00:01'))).toBe(50);
  });

  test('calls made after the slow clock passed its old time also count on the day of its correction', () => {
    const ledger = ledgerOf({ perDay: 50 });
    spendAt(ledger, at('01T18:00'));
    spendAt(ledger, at('01T15:00'));
    expect(spendAll(ledger, at('01T22:00'))).toBe(48);
    expect(spendAll(ledger, at('02T01:30'))).toBe(1);
  });

  test('after a slow clock is corrected, no call leaves a rolling day too early', () => {
    const ledger = ledgerOf({ perDay: 10, day: { kind: 'rolling' } });
    spendAt(ledger, T0, { most: 1 });
    expect(spendAll(ledger, T0 - 4 * HOUR_MS)).toBe(9);
    // The clock is corrected after a minute, so the nine calls may have been made at any time since T0.
    expect(spendAt(ledger, T0 + MINUTE_MS).is).toBe('spent');
    expect(spendAll(ledger, T0 + DAY_MS - HOUR_MS)).toBe(0);
  });

  test("setting the clock back to 1970 does not permit a day's calls twice", () => {
    const ledger = ledgerOf({ perDay: 50 });
    expect(spendAll(ledger, T0)).toBe(50);
    expect(spendAll(ledger, 60_000)).toBe(0);
    expect(spendAll(ledger, T0 + MINUTE_MS)).toBe(0);
    expect(spendAll(ledger, T0 + DAY_MS)).toBe(50);
  });
});

describe('a fast clock that is corrected', () => {
  test('a corrected fast clock blocks no slots, pauses or windows', () => {
    const ledger = ledgerOf({ perMinute: 600, perDay: 50 });
    const aheadMs = T0 + 400 * DAY_MS;
    for (let ms = 0; ms < 20_000; ms += 1000) spendAt(ledger, aheadMs + ms);
    ledger.pauseUntil(aheadMs + 30_000, aheadMs + 20_000);
    expect(spendAt(ledger, T0)).toEqual({ is: 'wait', untilMs: T0 + 10_000 - LOOKAHEAD_MS });
    expect(ledger.state(T0)).toMatchObject({ pausedUntilMs: T0 + 10_000, left: 30 });
    expect(spendAt(ledger, T0 + 10_000).is).toBe('go');
  });

  test('a clock that was set to 2099 blocks calls for at most three days', () => {
    const ledger = ledgerOf({ perDay: 50 });
    expect(spendAll(ledger, Date.parse('2099-01-01T10:00Z'))).toBe(50);
    const days = [0, 1, 2, 3, 4].map((day) => spendAll(ledger, T0 + day * DAY_MS));
    expect(days).toEqual([0, 0, 0, 50, 50]);
  });

  test("a clock that was a day ahead costs that day's calls and half of the next week's", () => {
    const ledger = ledgerOf({ perDay: 50 });
    expect(spendAll(ledger, T0 + DAY_MS)).toBe(50);
    const days = Array.from({ length: 12 }, (_, day) => spendAll(ledger, T0 + day * DAY_MS));
    expect(days).toEqual([0, 0, 50, 0, 50, 0, 50, 0, 50, 50, 50, 50]);
  });

  test("a clock that was set to 2099 does not change today's counts", () => {
    const ledger = ledgerOf({ perDay: 50, perMonth: 200 });
    spendAt(ledger, T0, { most: 30 });
    spendAt(ledger, Date.parse('2099-01-01T10:00Z'), { most: 5 });
    expect(spendAll(ledger, T0 + MINUTE_MS)).toBe(15);
  });

  test('a corrected clock unblocks the account even if its state is only read', () => {
    const ledger = ledgerOf({ perDay: 50 });
    expect(spendAll(ledger, Date.parse('2099-01-01T10:00Z'))).toBe(50);
    ledger.usedBy('warehouse.db', T0);
    expect(ledger.state(T0).left).toBe(0);
    expect(ledger.state(T0 + 2 * DAY_MS).left).toBe(0);
    expect(ledger.state(T0 + 3 * DAY_MS).left).toBe(50);
  });

  test('correcting the clock does not change how long an exhaustion lasts', () => {
    const ledger = ledgerOf({ perDay: 50 });
    ledger.exhaustedUntil(T0 + 100 * DAY_MS + HOUR_MS, T0 + 100 * DAY_MS);
    expect(spendAt(ledger, T0)).toEqual({ is: 'spent', untilMs: T0 + HOUR_MS, window: 'upstream' });
    expect(spendAt(ledger, T0 + HOUR_MS).is).toBe('go');
  });

  test('a clock step of two seconds causes a wait but no doubt about the clock', () => {
    const ledger = ledgerOf({ perMinute: 600 });
    spendAt(ledger, T0 + 2000);
    expect(spendAt(ledger, T0)).toMatchObject({ is: 'wait' });
    expect(spendAt(ledger, T0 + 2200).is).toBe('go');
    expect(ledger.state(T0 + 2200).clockDoubt).toBeNull();
  });
});

describe('doubt about the clock', () => {
  test("the ledger's state shows that the clock is in doubt, and until when", () => {
    const ledger = ledgerOf({ perDay: 50 });
    expect(doubtAfterSetBack(ledger)).toEqual({ is: 'behind', latestMs: T0, untilMs: T0 });
    spendAt(ledger, T0 + MINUTE_MS);
    expect(ledger.state(T0 + MINUTE_MS).clockDoubt).toEqual({
      is: 'late',
      lateMs: 5 * HOUR_MS,
      untilMs: T0 + MINUTE_MS + 7 * DAY_MS,
    });
  });

  test('the clock is compared with its latest known time, even if no call was sent then', () => {
    const ledger = ledgerOf({ perDay: 50 });
    spendAt(ledger, T0);
    ledger.usedBy('warehouse.db', T0 + DAY_MS);
    spendAt(ledger, T0 + HOUR_MS);
    expect(ledger.state(T0 + HOUR_MS).clockDoubt).toMatchObject({ is: 'behind', latestMs: T0 + DAY_MS });
  });

  test('a week without another clock step ends the doubt', () => {
    const ledger = ledgerOf({ perDay: 50 });
    doubtAfterSetBack(ledger);
    for (let day = 0; day <= 8; day++) spendAt(ledger, T0 + day * DAY_MS);
    expect(ledger.state(T0 + 8 * DAY_MS).clockDoubt).toBeNull();
    spendAll(ledger, at('10T23:00'));
    expect(ledger.state(at('11T00:30')).left).toBe(50);
  });

  test("if the upstream's clock agrees, the doubt ends and all calls get a date", () => {
    const ledger = ledgerOf({ perDay: 50 });
    spendAll(ledger, Date.parse('2099-01-01T10:00Z'));
    expect(spendAt(ledger, T0).is).toBe('spent');
    ledger.clockAgrees(T0);
    expect(ledger.state(T0).clockDoubt).toBeNull();
    expect(spendAll(ledger, T0 + DAY_MS)).toBe(50);
  });

  test('an unsent call gets its unit back only while the clock is in doubt', () => {
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

/** Returns the doubt recorded after the clock is set back three hours from T0. */
function doubtAfterSetBack(ledger: Ledger) {
  spendAt(ledger, T0);
  spendAt(ledger, T0 - 3 * HOUR_MS);
  return ledger.state(T0 - 3 * HOUR_MS).clockDoubt;
}
