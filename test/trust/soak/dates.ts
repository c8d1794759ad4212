import { DateTime } from 'luxon';
import type { DayStart } from '../../../src/allowance/windows.ts';
import { type Random, seededRandom } from '../../../src/random.ts';
import { fullestSpan, LIMITS, spendFrom, withLedger } from './soaking.ts';

export interface DateSoak {
  readonly seed: number;
  readonly spender: string;
  readonly day: string;
  readonly calls: number;
  /** The highest number of calls in a day, or in any 24 hours if the day is rolling. */
  readonly fullestDay: number;
  readonly fullestMonth: number;
  readonly daysOver: number;
  /** Used calls divided by permitted calls. */
  readonly used: number;
  readonly broken: readonly string[];
}

interface DateSoaking {
  readonly seed: number;
  readonly days: number;
  /** Whether the account spends all of a day's calls at its start (`hasty`) or spreads them over the day (`calm`). */
  readonly spender: 'hasty' | 'calm';
  readonly day: 'fixed' | 'rolling';
}

const ZONE = 'Europe/Oslo';
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Simulates days and months with a clock that is set back by hours and corrected within days. In real time, no day and
 * no month may exceed its limit if the responses' `Date` shows the steps.
 */
export function soakDatesSetBack({ seed, days, spender, day }: DateSoaking): DateSoak {
  const random = seededRandom(seed);
  const startMs = Date.UTC(2028, 0, 1, 12);
  const dayStart: DayStart =
    day === 'rolling' ? { kind: 'rolling' } : { kind: 'fixed', minuteOfDay: 0, timeZone: ZONE };
  const perMonth = day === 'rolling' ? null : LIMITS.perMonth;
  const arrivals = withLedger((path) =>
    spendFrom(path, {
      startMs,
      endMs: startMs + days * DAY_MS,
      random,
      allowance: { ...LIMITS, perMonth, total: null, day: dayStart },
      hasDate: true,
      isCalm: spender === 'calm',
      lateness: setBackAndRight(random, startMs),
    }),
  ).sort((a, b) => a - b);
  const byDay = day === 'rolling' ? [fullestSpan(arrivals, DAY_MS)] : counted(arrivals, 'yyyy-MM-dd');
  const byMonth = perMonth === null ? [] : counted(arrivals, 'yyyy-MM');
  const daysOver = byDay.filter((calls) => calls > LIMITS.perDay).length;
  const monthsOver = byMonth.filter((calls) => calls > LIMITS.perMonth).length;
  const permitted = perMonth === null ? days * LIMITS.perDay : byMonth.length * perMonth;
  return {
    seed,
    spender,
    day,
    calls: arrivals.length,
    fullestDay: Math.max(0, ...byDay),
    fullestMonth: Math.max(0, ...byMonth),
    daysOver,
    used: Number((arrivals.length / permitted).toFixed(3)),
    broken:
      daysOver + monthsOver > 0
        ? [`seed ${seed}, ${spender}, ${day}: ${daysOver} days and ${monthsOver} months over`]
        : [],
  };
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

function counted(arrivals: readonly number[], span: string): number[] {
  const counts = new Map<string, number>();
  for (const at of arrivals) {
    const key = DateTime.fromMillis(at, { zone: ZONE }).toFormat(span);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts.values()];
}
