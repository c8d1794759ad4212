import type { Allowance } from '../../../src/allowance/windows.ts';
import { seededRandom } from '../../../src/random.ts';
import { LIMITS, spendFrom, withLedger } from './soaking.ts';

export interface ContractSoak {
  readonly seed: number;
  /** The number of calls in each contract, in chronological order. */
  readonly calls: readonly number[];
  readonly fullestDay: number;
  readonly broken: readonly string[];
}

const PER_CONTRACT = 9000;
const PER_DAY = 40;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Simulates one-year contracts that end on the last day of February, which is the leap day in 2028. At the end of each
 * contract, the operator raises the account's total and keeps its ledger. Each contract must spend exactly its own
 * calls.
 */
export function soakContracts({ seed, years }: { seed: number; years: number }): ContractSoak {
  const random = seededRandom(seed);
  const calls: number[] = [];
  const byDay = new Map<number, number>();
  withLedger((path) => {
    for (let year = 1; year <= years; year++) {
      const [startMs, endMs] = [Date.UTC(2026 + year, 2, 1), Date.UTC(2027 + year, 2, 1)];
      const day = { kind: 'fixed', minuteOfDay: 0, timeZone: 'UTC' } as const;
      const allowance: Allowance = { ...LIMITS, total: year * PER_CONTRACT, day };
      const arrivals = spendFrom(path, { startMs, endMs, random, allowance });
      calls.push(arrivals.length);
      for (const at of arrivals)
        byDay.set(Math.floor(at / DAY_MS), (byDay.get(Math.floor(at / DAY_MS)) ?? 0) + 1);
    }
  });
  const fullestDay = Math.max(...byDay.values());
  const wrong = calls.filter((count) => count !== PER_CONTRACT);
  return {
    seed,
    calls,
    fullestDay,
    broken: [
      ...wrong.map((count) => `seed ${seed}: ${count} calls in a contract of ${PER_CONTRACT}`),
      ...(fullestDay > PER_DAY ? [`seed ${seed}: ${fullestDay} calls on one day`] : []),
    ],
  };
}
