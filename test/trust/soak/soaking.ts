import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { openLedger } from '../../../src/allowance/ledger.ts';
import type { Allowance, DayStart } from '../../../src/allowance/windows.ts';
import { ClockCheck } from '../../../src/fetch/clock_check.ts';
import { type Random, seededRandom } from '../../../src/random.ts';

export interface Soak {
  readonly zone: string;
  readonly calls: number;
  readonly days: number;
  /** The highest number of calls in a day, in a month and in total, each with its limit. */
  readonly most: { readonly day: number; readonly month: number; readonly total: number };
  /** Used calls divided by permitted calls. */
  readonly used: number;
  /** Violations, one sentence each. */
  readonly broken: readonly string[];
}

const PER_DAY = 40;
const PER_MONTH = 1000;

/**
 * Simulates years of an account's use in seconds. The callers spend every call that the ledger permits, through clock
 * changes, month ends and a leap day. Luxon's calendar counts the arrivals independently of the ledger.
 */
export function soakCalendar(options: { zone: string; seed: number; days: number }): Soak {
  const { zone, seed, days } = options;
  const random = seededRandom(seed);
  const startMs = Date.UTC(2027, 0, 1, 12);
  const total = days * 26;
  const day: DayStart = { kind: 'fixed', minuteOfDay: 0, timeZone: zone };
  const arrivals = spendAll({
    startMs,
    endMs: startMs + days * DAY_MS,
    random,
    allowance: { ...LIMITS, total, day },
  });
  const byDay = countedBy(arrivals, (at) => localDate(at, zone));
  const byMonth = countedBy(arrivals, (at) => localDate(at, zone).slice(0, 7));
  const most = { day: fullest(byDay), month: fullest(byMonth), total: arrivals.length };
  // The first and the last month are incomplete. Every other month uses its whole limit until the total is used up.
  const whole = [...byMonth].slice(1, -1);
  const permitted = whole.reduce((sum, [month]) => sum + Math.min(PER_MONTH, daysIn(month) * PER_DAY), 0);
  const used = whole.reduce((sum, [, calls]) => sum + calls, 0) / permitted;
  return {
    zone,
    calls: arrivals.length,
    days,
    most,
    used: Number(used.toFixed(4)),
    broken: [
      ...(most.day > PER_DAY ? [`seed ${seed}, ${zone}: ${most.day} calls on one day`] : []),
      ...(most.month > PER_MONTH ? [`seed ${seed}, ${zone}: ${most.month} calls in one month`] : []),
      ...(most.total > total ? [`seed ${seed}, ${zone}: ${most.total} calls in total`] : []),
      ...(used < 0.98 ? [`seed ${seed}, ${zone}: only ${used} of the allowance was used`] : []),
    ],
  };
}

/** Simulates a rolling day with a clock that is set back repeatedly. In real time, no 24 hours may exceed the limit. */
export function soakSetBack(options: { seed: number; days: number }): Soak {
  const { seed, days } = options;
  const random = seededRandom(seed);
  const startMs = Date.UTC(2028, 1, 1);
  const total = 1_000_000;
  const allowance: Allowance = { ...LIMITS, perMonth: null, total, day: { kind: 'rolling' } };
  let backMs = 0;
  const arrivals = spendAll({
    startMs,
    endMs: startMs + days * DAY_MS,
    random,
    allowance,
    lateness: () => {
      if (random.chance(0.01)) backMs += random.below(4 * HOUR_MS);
      return backMs;
    },
  });
  const day = fullestSpan(arrivals, DAY_MS);
  const used = arrivals.length / (days * PER_DAY);
  return {
    zone: 'rolling, clock set back',
    calls: arrivals.length,
    days,
    most: { day, month: 0, total: arrivals.length },
    used: Number(used.toFixed(4)),
    broken: [
      ...(day > PER_DAY ? [`seed ${seed}: ${day} calls within 24 hours`] : []),
      ...(used < 0.5 ? [`seed ${seed}: only ${used} of the allowance was used`] : []),
    ],
  };
}

export const LIMITS = {
  perMinute: 6000,
  perDay: PER_DAY,
  perMonth: PER_MONTH,
  reserve: 0,
  alreadySpent: 0,
} as const;

export interface Spender {
  readonly startMs: number;
  readonly endMs: number;
  readonly random: Random;
  readonly allowance: Allowance;
  /** Returns how many milliseconds the ledger's clock lags behind real time. Runs before each debit. */
  readonly lateness?: (realMs: number) => number;
  /** True if responses state the real time in their `Date`, which is compared with the ledger's clock. */
  readonly hasDate?: boolean;
  /**
   * If true, each burst spends one or two calls and then pauses. Otherwise, it spends every permitted call immediately.
   */
  readonly isCalm?: boolean;
}

/** Spends every permitted call, and returns the arrival times. Returns the arrival times. */
function spendAll(spender: Spender): number[] {
  return withLedger((path) => spendFrom(path, spender)).sort((a, b) => a - b);
}

/** Calls the function with the path of a temporary ledger, which is deleted afterwards. */
export function withLedger<T>(work: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-soak-'));
  try {
    return work(join(folder, 'ledger.db'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Spends the calls that the ledger permits, in bursts at random times. Returns the arrival times. */
export function spendFrom(path: string, spender: Spender): number[] {
  const { startMs, endMs, random, allowance, lateness = () => 0, hasDate = false, isCalm = false } = spender;
  const ledger = openLedger({ path, accountId: 'main', allowance });
  const arrivals: number[] = [];
  for (let realMs = startMs; realMs < endMs; ) {
    const behindMs = lateness(realMs);
    const nowMs = realMs - behindMs;
    const most = 1 + random.below(isCalm ? 2 : 8);
    const spent = ledger.spend({ nowMs, most, purpose: 'scheduled', keyFingerprint: 'k' });
    if (spent.is === 'go') {
      // A call sent in its slot can take most of a second to arrive.
      for (const { atMs } of spent.slots) arrivals.push(atMs + behindMs + random.below(900));
      const isUnsent = random.chance(0.02);
      if (isUnsent) giveBack(ledger, spent.slots[0], arrivals, spent.slots.length);
      if (hasDate) compareDates(ledger, isUnsent ? spent.slots.slice(1) : spent.slots, behindMs);
      realMs += !isCalm && random.chance(0.7) ? random.below(2 * SECOND_MS) : random.below(90 * MINUTE_MS);
    } else {
      if (spent.is === 'refused_key') break;
      // While the clock is behind, no call is sent until it has caught up.
      const untilMs = spent.is === 'clock' ? nowMs + HOUR_MS : spent.untilMs;
      if (untilMs === null) break;
      // No wait is longer than an hour, because the clock may change during a wait.
      realMs += Math.max(1, Math.min(untilMs - nowMs, HOUR_MS));
    }
  }
  ledger.close();
  return arrivals;
}

type Slots = Extract<ReturnType<ReturnType<typeof openLedger>['spend']>, { is: 'go' }>['slots'];

/** Returns an unsent call's unit. */
function giveBack(
  ledger: ReturnType<typeof openLedger>,
  slot: Slots[number] | undefined,
  arrivals: number[],
  taken: number,
): void {
  if (slot === undefined) return;
  ledger.giveBack(slot);
  arrivals.splice(arrivals.length - taken, 1);
}

/** Corrects the ledger as the engine does if a response's `Date` contradicts the clock. */
function compareDates(ledger: ReturnType<typeof openLedger>, slots: Slots, behindMs: number): void {
  const check = new ClockCheck({ checksClock: true, trustsClock: false, setTime: ledger.setTime });
  for (const slot of slots) {
    const receivedMs = slot.atMs + SECOND_MS;
    check.observe({ date: new Date(receivedMs + behindMs).toUTCString() }, receivedMs);
    if (check.offsetMs !== 0) ledger.redate(slot, slot.atMs - check.offsetMs);
  }
}

function localDate(atMs: number, zone: string): string {
  return DateTime.fromMillis(atMs, { zone }).toISODate() ?? '';
}

function daysIn(month: string): number {
  return DateTime.fromISO(`${month}-01`).daysInMonth ?? 0;
}

function countedBy(arrivals: readonly number[], keyOf: (at: number) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const at of arrivals) counts.set(keyOf(at), (counts.get(keyOf(at)) ?? 0) + 1);
  return counts;
}

function fullest(counts: ReadonlyMap<string, number>): number {
  return Math.max(0, ...counts.values());
}

/** The highest number of arrivals in any period with this length. */
export function fullestSpan(arrivals: readonly number[], spanMs: number): number {
  let most = 0;
  let from = 0;
  for (const [index, at] of arrivals.entries()) {
    while ((arrivals[from] ?? at) <= at - spanMs) from += 1;
    most = Math.max(most, index - from + 1);
  }
  return most;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
