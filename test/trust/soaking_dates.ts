import { DateTime } from 'luxon';
import { type Random, seededRandom } from '../../src/server/random.ts';
import { LIMITS, spendFrom, withLedger } from './soaking.ts';

export interface DateSoak {
  readonly seed: number;
  readonly calls: number;
  readonly fullestDay: number;
  readonly fullestMonth: number;
  readonly daysOver: number;
  readonly broken: readonly string[];
}

const ZONE = 'Europe/Oslo';
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
// 1,000 a month are fewer than 40 a day would be.
const USABLE_PER_DAY = 1000 / 31;

/**
 * Fixed days and months, judged by the right time, under a clock that is set back by up to four hours and right
 * again. Which of the two times is wrong the ledger cannot know: it takes the later one for it, so a date may be
 * spent once more for each such step across its midnight. How far that goes is told; the total holds, and
 * nothing freezes.
 */
export function soakDatesSetBack({ seed, days }: { seed: number; days: number }): DateSoak {
  const random = seededRandom(seed);
  const startMs = Date.UTC(2028, 0, 1, 12);
  const endMs = startMs + days * DAY_MS;
  const total = Math.floor(days * USABLE_PER_DAY * 0.95);
  const day = { kind: 'fixed', minuteOfDay: 0, timeZone: ZONE } as const;
  const allowance = { ...LIMITS, total, day };
  const lateness = setBackAndRight(random);
  const arrivals = withLedger((path) => spendFrom(path, { startMs, endMs, random, allowance, lateness }));
  const byDay = counted(arrivals, 'yyyy-MM-dd');
  return {
    seed,
    calls: arrivals.length,
    fullestDay: Math.max(0, ...byDay),
    fullestMonth: Math.max(0, ...counted(arrivals, 'yyyy-MM')),
    daysOver: byDay.filter((calls) => calls > LIMITS.perDay).length,
    broken: arrivals.length === total ? [] : [`seed ${seed}: ${arrivals.length} calls of ${total} in all`],
  };
}

function setBackAndRight(random: Random): () => number {
  let backMs = 0;
  return () => {
    if (random.chance(0.01)) backMs = backMs > 0 ? 0 : random.below(4 * HOUR_MS);
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
