import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ledger } from '../../src/allowance/ledger.ts';
import type { Allowance } from '../../src/allowance/windows.ts';
import { ledgerOf, spendAll, spendAt } from '../support/ledger.ts';

const T0 = Date.parse('2026-03-01T12:00:00Z');
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A machine with a ledger, whose clock the test can set. */
function machine(allowance: Partial<Allowance>) {
  let [realMs, setMs, bootId, bootedMs] = [T0, 0, 'first', T0 - HOUR_MS];
  const boot = () => ({ bootId, uptimeMs: realMs - bootedMs });
  const first = ledgerOf(allowance, { boot });
  return {
    first,
    open: () => ledgerOf(allowance, { boot, path: first.path }),
    now: () => realMs + setMs,
    real: () => realMs,
    wait: (ms: number) => {
      realMs += ms;
    },
    set: (ms: number) => {
      setMs += ms;
    },
    restart: () => {
      bootId += '+';
      bootedMs = realMs;
    },
  };
}

const spends = (ledger: Ledger, { now }: { now: () => number }) => spendAll(ledger, now());

test('a clock that jumps ahead by a day every three seconds opens no window or slot early', () => {
  const { first, ...clock } = machine({ perMinute: 10, perDay: 40 });
  const arrivals: number[] = [];
  for (let step = 0; step < 400; step++) {
    const spent = spendAt(first, clock.now(), { most: 4 });
    if (spent.is === 'go') arrivals.push(...spent.slots.map(({ atMs }) => atMs - clock.now() + clock.real()));
    clock.wait(3 * SECOND_MS);
    clock.set(DAY_MS);
  }
  expect(arrivals.length).toBe(40);
  for (const [at, ms] of arrivals.entries()) expect(ms - (arrivals[at - 10] ?? 0)).toBeGreaterThan(MINUTE_MS);
});

test("another process on the machine notices the clock's jump too", () => {
  const { first, open, ...clock } = machine({ perDay: 40, perMonth: 60, total: 1000 });
  expect(spends(first, clock)).toBe(40);
  clock.set(40 * DAY_MS);
  const second = open();
  expect(spends(second, clock)).toBe(0);
  expect(second.state(clock.now())).toMatchObject({
    left: 0,
    resumesAtMs: T0 + 40 * DAY_MS + 25 * HOUR_MS + MINUTE_MS + SECOND_MS,
    clockDoubt: { is: 'ahead', aheadMs: 40 * DAY_MS },
  });
  clock.wait(26 * HOUR_MS);
  expect(spends(second, clock)).toBe(20);
});

test('after a jump, a response whose date agrees with the clock starts the new window and adds the calls since the jump', () => {
  const { first, ...clock } = machine({ perMinute: 10, perDay: 40 });
  expect(spendAt(first, clock.now()).is).toBe('go');
  clock.wait(MINUTE_MS);
  clock.set(DAY_MS);
  expect(spendAt(first, clock.now()).is).toBe('go');
  first.clockAgrees(clock.now());
  expect(first.state(clock.now())).toMatchObject({ left: 39, clockDoubt: null });
  // The last call's slot still delays the next call.
  expect(spendAt(first, clock.now()).is).toBe('wait');
});

test("a clock's jump shifts no pause, exhaustion, report or last call, neither during it nor afterwards", () => {
  const { first, ...clock } = machine({ perMinute: 10 });
  spendAt(first, clock.now());
  clock.wait(MINUTE_MS);
  clock.set(DAY_MS);
  const jumpedMs = clock.now();
  expect(spendAt(first, jumpedMs).is).toBe('go');
  first.pauseUntil(jumpedMs + 3 * HOUR_MS, jumpedMs);
  first.exhaustedUntil(jumpedMs + 2 * HOUR_MS, jumpedMs);
  const quota = { window: null, left: 7, limit: null, resetsAtMs: jumpedMs + HOUR_MS };
  first.reportQuota({ quotas: [quota], sentAtMs: jumpedMs, inFlight: 0 }, jumpedMs);
  const times = {
    pausedUntilMs: jumpedMs + 3 * HOUR_MS,
    resumesAtMs: jumpedMs + 2 * HOUR_MS,
    exhausted: { atMs: jumpedMs, untilMs: jumpedMs + 2 * HOUR_MS, left: Infinity },
  };
  const ahead = { is: 'ahead', aheadMs: DAY_MS };
  expect(first.state(jumpedMs)).toMatchObject({
    ...times,
    clockDoubt: ahead,
    reported: { left: 7, untilMs: quota.resetsAtMs },
  });
  expect(first.mark().lastSpentMs).toBe(jumpedMs);
  first.clockAgrees(jumpedMs);
  expect(first.state(jumpedMs)).toMatchObject({ ...times, clockDoubt: null });
  expect(first.mark().lastSpentMs).toBe(jumpedMs);
  clock.set(-DAY_MS);
  spendAt(first, clock.now());
  expect(first.state(clock.now()).pausedUntilMs).toBe(clock.now() + 3 * HOUR_MS);
});

test("the ledger notices an hour's jump, and a later jump back to a time that it had given up", () => {
  const { first, ...clock } = machine({ perDay: 40 });
  spendAt(first, clock.now());
  clock.set(HOUR_MS);
  expect(first.state(clock.now()).clockDoubt).toEqual({ is: 'ahead', aheadMs: HOUR_MS });
  clock.set(-6 * DAY_MS);
  for (let day = 0; day < 3; day++) {
    spendAt(first, clock.now());
    clock.wait(DAY_MS);
  }
  spendAt(first, clock.now());
  expect(first.state(clock.now()).clockDoubt).toBeNull();
  clock.set(6 * DAY_MS);
  expect(first.state(clock.now()).clockDoubt).toEqual({ is: 'ahead', aheadMs: 6 * DAY_MS });
  first.clockAgrees(clock.now());
  clock.set(HOUR_MS);
  expect(first.state(clock.now()).clockDoubt).toEqual({ is: 'ahead', aheadMs: HOUR_MS });
});

test('a process that cannot read the boot time adopts the doubt that other processes recorded', () => {
  const { first, ...clock } = machine({ perDay: 40 });
  expect(spends(first, clock)).toBe(40);
  clock.set(DAY_MS);
  expect(spends(first, clock)).toBe(0);
  const other = ledgerOf({ perDay: 40 }, { path: first.path });
  expect(spends(other, clock)).toBe(0);
  expect(other.state(clock.now()).clockDoubt).toEqual({ is: 'ahead', aheadMs: DAY_MS });
});

test('a clock that jumps back to the right time costs no calls', () => {
  const { first, ...clock } = machine({ perDay: 40 });
  spendAt(first, clock.now(), { most: 10 });
  clock.set(80 * 365 * DAY_MS);
  spendAt(first, clock.now(), { most: 10 });
  clock.wait(MINUTE_MS);
  clock.set(-80 * 365 * DAY_MS);
  expect(first.state(clock.now())).toMatchObject({ left: 20, clockDoubt: null });
  clock.wait(DAY_MS);
  expect(spends(first, clock)).toBe(40);
});

test("the hours that the machine spends asleep or off do not delay a window's reset", () => {
  const { first, ...clock } = machine({ perDay: 40 });
  expect(spends(first, clock)).toBe(40);
  clock.wait(DAY_MS);
  expect(spends(first, clock)).toBe(40);
  clock.wait(DAY_MS);
  clock.restart();
  expect(spends(first, clock)).toBe(40);
});

test('after the machine restarts, calls made since a clock jump count towards the current window', () => {
  const { first, ...clock } = machine({ perDay: 40 });
  clock.set(12 * HOUR_MS + MINUTE_MS);
  spendAt(first, clock.now(), { most: 30 });
  spendAt(first, clock.now(), { most: 5 });
  clock.restart();
  expect(first.state(clock.now())).toMatchObject({ clockDoubt: null });
  expect(spends(first, clock)).toBeLessThanOrEqual(10);
});

test('no real day exceeds its limit, however the clock jumps', () => {
  const steps = fc.array(
    fc.record({
      waitMs: fc.integer({ min: 1000, max: 90 * MINUTE_MS }),
      most: fc.integer({ min: 1, max: 12 }),
      set: fc.option(fc.integer({ min: MINUTE_MS, max: 40 * DAY_MS }), { nil: null, freq: 6 }),
      isConfirmed: fc.boolean(),
    }),
    { minLength: 20, maxLength: 120 },
  );
  fc.assert(
    fc.property(steps, (script) => {
      const { first, ...clock } = machine({ perDay: 30 });
      const byDay = new Map<string, number>();
      let aheadMs = 0;
      first.state(clock.now());
      first.usedBy('warehouse.db', clock.now());
      for (const { waitMs, most, set, isConfirmed } of script) {
        clock.wait(waitMs);
        if (set !== null) {
          const nextMs = aheadMs > 0 && most % 2 === 0 ? 0 : aheadMs + set;
          clock.set(nextMs - aheadMs);
          aheadMs = nextMs;
        }
        if (isConfirmed && aheadMs === 0) first.clockAgrees(clock.now());
        const spent = spendAt(first, clock.now(), { most });
        for (const { atMs } of spent.is === 'go' ? spent.slots : []) {
          const day = new Date(atMs - aheadMs).toISOString().slice(0, 10);
          byDay.set(day, (byDay.get(day) ?? 0) + 1);
          expect(byDay.get(day)).toBeLessThanOrEqual(30);
        }
      }
    }),
    { numRuns: 25 },
  );
});
