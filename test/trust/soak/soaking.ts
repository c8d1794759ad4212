import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { Ledger } from '../../../src/allowance/ledger.ts';
import type { Allowance, DayStart } from '../../../src/allowance/windows.ts';
import { type Random, seededRandom } from '../../../src/random.ts';
import { NO_LIMITS } from '../../support/no_limits.ts';

// Years of an account's use in seconds. The callers spend every call that the ledger permits, at random times.

/** The result of one simulated account. */
export interface Soak {
  readonly title: string;
  readonly calls: number;
  /** The highest number of calls in a day of the zone. */
  readonly fullestDay: number;
  /** The highest number of calls in a month. */
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
  /** The time zone of the account's days. */
  readonly zone: string;
  readonly total?: number;
  readonly used: number;
  readonly leastUsed?: number;
}

/** Checks the arrivals against the limits. Luxon's calendar counts them independently of the ledger. */
function judge(title: string, { arrivals, zone, total = Infinity, used, leastUsed = 0 }: Judged): Soak {
  const fullest = (span: string) => Math.max(0, ...countedBy(arrivals, zone, span).values());
  const fullestDay = fullest('yyyy-MM-dd');
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

function dayIn(zone: string): DayStart {
  return { kind: 'fixed', minuteOfDay: 0, timeZone: zone };
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
  const { startMs, endMs, random, allowance } = spender;
  const ledger = new Ledger({ path, accountId: 'main', allowance });
  const arrivals: number[] = [];
  for (let nowMs = startMs; nowMs < endMs; ) {
    const most = 1 + random.below(8);
    const spent = ledger.spend({ nowMs, most, purpose: 'scheduled', keyFingerprint: 'k' });
    if (spent.is === 'go') {
      // A call sent in its slot can take most of a second to arrive.
      for (const { atMs } of spent.slots) arrivals.push(atMs + random.below(900));
      if (random.chance(0.02)) giveBack(ledger, spent.slots[0], arrivals, spent.slots.length);
      nowMs += random.chance(0.7) ? random.below(2 * SECOND_MS) : random.below(90 * MINUTE_MS);
    } else {
      if (spent.is === 'refused_key') break;
      // While the clock is behind, no call is sent until it has caught up.
      const untilMs = spent.is === 'clock' ? nowMs + HOUR_MS : spent.untilMs;
      if (untilMs === null) break;
      nowMs = Math.max(nowMs + 1, untilMs);
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

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
