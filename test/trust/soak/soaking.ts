import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { Ledger } from '../../../src/allowance/ledger.ts';
import type { Allowance, DayStart } from '../../../src/allowance/windows.ts';
import { ClockCheck } from '../../../src/fetch/clock_check.ts';
import { type Random, seededRandom } from '../../../src/random.ts';
import { NO_LIMITS } from '../../support/no_limits.ts';

// Years of an account's use in seconds. The callers spend every call that the ledger permits, at random times.

/** The result of one simulated account. */
export interface Soak {
  readonly title: string;
  readonly calls: number;
  /** The highest number of calls in a day of the zone, or in any 24 hours if the day is rolling. */
  readonly fullestDay: number;
  /** The highest number of calls in a month; 0 if the day is rolling. */
  readonly fullestMonth: number;
  /** Used calls divided by permitted calls. */
  readonly used: number;
  /** Violations, one sentence each. */
  readonly broken: readonly string[];
}

const PER_DAY = 40;
const PER_MONTH = 1000;
const PER_CONTRACT = 9000;

/** Simulates an account through clock changes, month ends and a leap day. */
export function soakCalendar({ zone, seed, days }: { zone: string; seed: number; days: number }): Soak {
  const startMs = Date.UTC(2027, 0, 1, 12);
  const total = days * 26;
  const arrivals = spendAll({
    startMs,
    endMs: startMs + days * DAY_MS,
    random: seededRandom(seed),
    allowance: { ...LIMITS, total, day: dayIn(zone) },
  });
  // The first and the last month are incomplete. Every other month uses its whole limit until the total is used up.
  const whole = [...countedBy(arrivals, zone, 'yyyy-MM')].slice(1, -1);
  const permitted = whole.reduce((sum, [month]) => sum + Math.min(PER_MONTH, daysIn(month) * PER_DAY), 0);
  const used = whole.reduce((sum, [, calls]) => sum + calls, 0) / permitted;
  return judge(`seed ${seed}, ${zone}`, { arrivals, zone, total, used, leastUsed: 0.98 });
}

/** Simulates a rolling day with a clock that is set back repeatedly. In real time, no 24 hours may exceed the limit. */
export function soakSetBack({ seed, days }: { seed: number; days: number }): Soak {
  const random = seededRandom(seed);
  const startMs = Date.UTC(2028, 1, 1);
  let backMs = 0;
  const arrivals = spendAll({
    startMs,
    endMs: startMs + days * DAY_MS,
    random,
    allowance: { ...LIMITS, perMonth: null, total: null, day: { kind: 'rolling' } },
    lateness: () => {
      if (random.chance(0.01)) backMs += random.below(4 * HOUR_MS);
      return backMs;
    },
  });
  const used = arrivals.length / (days * PER_DAY);
  return judge(`seed ${seed}, rolling day, clock set back`, { arrivals, zone: null, used, leastUsed: 0.5 });
}

interface DateSoaking {
  readonly seed: number;
  readonly days: number;
  /** Whether the account spends all of a day's calls at its start (`hasty`) or spreads them over the day (`calm`). */
  readonly spender: 'hasty' | 'calm';
  readonly day: 'fixed' | 'rolling';
}

/**
 * Simulates days and months with a clock that is set back by hours and corrected within days. In real time, no day and
 * no month may exceed its limit if the responses' `Date` shows the steps.
 */
export function soakDatesSetBack({ seed, days, spender, day }: DateSoaking): Soak {
  const random = seededRandom(seed);
  const startMs = Date.UTC(2028, 0, 1, 12);
  const zone = day === 'rolling' ? null : 'Europe/Oslo';
  const arrivals = spendAll({
    startMs,
    endMs: startMs + days * DAY_MS,
    random,
    allowance: { ...LIMITS, perMonth: zone && PER_MONTH, total: null, day: dayIn(zone) },
    hasDate: true,
    isCalm: spender === 'calm',
    lateness: setBackAndRight(random, startMs),
  });
  const months = zone === null ? 0 : countedBy(arrivals, zone, 'yyyy-MM').size;
  const used = arrivals.length / (zone === null ? days * PER_DAY : months * PER_MONTH);
  return judge(`seed ${seed}, ${spender}, ${day} day, clock set back and corrected`, {
    arrivals,
    zone,
    used,
  });
}

/** A clock that is correct for up to ten days, then up to four hours slow for up to six days, and so on. */
function setBackAndRight(random: Random, startMs: number): (realMs: number) => number {
  let backMs = 0;
  let changesMs = startMs + random.below(10 * DAY_MS);
  return (realMs) => {
    if (realMs >= changesMs) {
      backMs = backMs > 0 ? 0 : 10_000 + random.below(4 * HOUR_MS);
      changesMs = realMs + random.below((backMs > 0 ? 6 : 10) * DAY_MS);
    }
    return backMs;
  };
}

/**
 * Simulates one-year contracts that end on the last day of February, which is the leap day in 2028. At the end of each
 * contract, the operator raises the account's total and keeps its ledger. Each contract must spend exactly its own
 * calls.
 */
export function soakContracts({ seed, years }: { seed: number; years: number }): Soak {
  const random = seededRandom(seed);
  const zone = 'UTC';
  const contracts = withLedger((path) =>
    Array.from({ length: years }, (_, at) => {
      const [startMs, endMs] = [Date.UTC(2027 + at, 2, 1), Date.UTC(2028 + at, 2, 1)];
      const allowance = { ...LIMITS, total: (at + 1) * PER_CONTRACT, day: dayIn(zone) };
      return spendFrom(path, { startMs, endMs, random, allowance });
    }),
  );
  const total = years * PER_CONTRACT;
  const arrivals = contracts.flat();
  const title = `seed ${seed}, contracts`;
  const soak = judge(title, { arrivals, zone, total, used: arrivals.length / total });
  const wrong = contracts.map(({ length }) => length).filter((calls) => calls !== PER_CONTRACT);
  const faults = wrong.map((calls) => `${title}: ${calls} calls in a contract of ${PER_CONTRACT}`);
  return { ...soak, broken: [...soak.broken, ...faults] };
}

interface Judged {
  readonly arrivals: readonly number[];
  /** The time zone of the account's days; null if they are rolling. */
  readonly zone: string | null;
  readonly total?: number;
  readonly used: number;
  readonly leastUsed?: number;
}

/** Checks the arrivals against the limits. Luxon's calendar counts them independently of the ledger. */
function judge(title: string, { arrivals, zone, total = Infinity, used, leastUsed = 0 }: Judged): Soak {
  const fullest = (span: string) =>
    zone === null ? 0 : Math.max(0, ...countedBy(arrivals, zone, span).values());
  const fullestDay = zone === null ? fullestSpan(arrivals, DAY_MS) : fullest('yyyy-MM-dd');
  const fullestMonth = fullest('yyyy-MM');
  const calls = arrivals.length;
  const faults = [
    fullestDay > PER_DAY && `${fullestDay} calls on one day`,
    fullestMonth > PER_MONTH && `${fullestMonth} calls in one month`,
    calls > total && `${calls} calls in total`,
    used < leastUsed && `only ${used} of the allowance was used`,
  ];
  const broken = faults.filter((fault) => fault !== false).map((fault) => `${title}: ${fault}`);
  return { title, calls, fullestDay, fullestMonth, used: Number(used.toFixed(4)), broken };
}

function dayIn(zone: string | null): DayStart {
  return zone === null ? { kind: 'rolling' } : { kind: 'fixed', minuteOfDay: 0, timeZone: zone };
}

const LIMITS = {
  ...NO_LIMITS,
  perMinute: 6000,
  perDay: PER_DAY,
  perMonth: PER_MONTH,
  reserve: 0,
  alreadySpent: 0,
} as const;

interface Spender {
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

/** Spends the calls that a new ledger permits, and returns the arrival times in order. */
function spendAll(spender: Spender): number[] {
  return withLedger((path) => spendFrom(path, spender)).sort((a, b) => a - b);
}

/** Calls the function with the path of a temporary ledger, which is deleted afterwards. */
function withLedger<T>(work: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-soak-'));
  try {
    return work(join(folder, 'ledger.db'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Spends the calls that the ledger permits, in bursts at random times. Returns the arrival times. */
function spendFrom(path: string, spender: Spender): number[] {
  const { startMs, endMs, random, allowance, lateness = () => 0, hasDate = false, isCalm = false } = spender;
  const ledger = new Ledger({ path, accountId: 'main', allowance });
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

type Slots = Extract<ReturnType<Ledger['spend']>, { is: 'go' }>['slots'];

/** Returns an unsent call's unit. */
function giveBack(ledger: Ledger, slot: Slots[number] | undefined, arrivals: number[], taken: number): void {
  if (slot === undefined) return;
  ledger.giveBack([slot]);
  arrivals.splice(arrivals.length - taken, 1);
}

/** Corrects the ledger as the engine does if a response's `Date` contradicts the clock. */
function compareDates(ledger: Ledger, slots: Slots, behindMs: number): void {
  const check = new ClockCheck({
    checksClock: true,
    trustsClock: false,
    setTime: (...times) => ledger.setTime(...times),
  });
  for (const slot of slots) {
    const receivedMs = slot.atMs + SECOND_MS;
    check.observe({ date: new Date(receivedMs + behindMs).toUTCString() }, receivedMs);
    if (check.offsetMs !== 0) ledger.redate(slot, slot.atMs - check.offsetMs);
  }
}

function daysIn(month: string): number {
  return DateTime.fromISO(`${month}-01`).daysInMonth ?? 0;
}

/** Counts the arrivals in each day (`yyyy-MM-dd`) or month (`yyyy-MM`). */
function countedBy(arrivals: readonly number[], zone: string, span: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const at of arrivals) {
    const key = DateTime.fromMillis(at, { zone }).toFormat(span);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** The highest number of arrivals in any period with this length. */
function fullestSpan(arrivals: readonly number[], spanMs: number): number {
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
