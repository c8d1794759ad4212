import { type Completion, forecastCompletion } from '../allowance/completion.ts';
import type { Allowance, Purpose, WindowName } from '../allowance/windows.ts';
import { limitFor } from '../allowance/windows.ts';
import type { CallKind } from '../call.ts';
import { isoTime } from '../clock.ts';
import { type CallRange, sumOf } from './call_range.ts';

/** The calls that work will take, by kind. */
export type EstimatedCalls = Readonly<Record<CallKind, CallRange>>;

/** What that means for the account, from the fewest calls to the most. */
export interface AccountCost {
  readonly calls: EstimatedCalls;
  readonly total: CallRange;
  /** Fewer than all that is due: there is a bound on the calls. */
  readonly isBounded: boolean;
  readonly low: Completion;
  /** null: nobody can tell how many calls it will be. */
  readonly high: Completion | null;
  readonly windows: readonly EstimatedWindow[];
  readonly perMinute: number | null;
}

/** One limit of the allowance, as far as this purpose may use it. */
export interface EstimatedWindow {
  readonly name: WindowName;
  readonly limit: number;
  readonly left: number;
}

/** The part of the ledger's state that an estimate needs. */
export interface AccountState {
  readonly windows: readonly EstimatedWindow[];
  /** Epoch milliseconds; null: the account is not paused. */
  readonly pausedUntilMs: number | null;
}

export function accountCostOf(ask: {
  readonly calls: EstimatedCalls;
  /** Where it is known better than as the sum of the kinds. */
  readonly sum?: CallRange;
  readonly allowance: Allowance;
  readonly state: AccountState;
  readonly purpose: Purpose;
  readonly nowMs: number;
  /** Infinity: no bound. */
  readonly maxCalls: number;
}): AccountCost {
  const { calls, allowance, state, purpose, nowMs, maxCalls } = ask;
  const all = ask.sum ?? sumOf([calls.stats, calls.search, calls.entity]);
  const total = bounded(all, maxCalls);
  const left = state.windows.map((window) => ({ name: window.name, left: window.left }));
  const play = (count: number) =>
    forecastCompletion({
      allowance,
      left,
      purpose,
      calls: count,
      nowMs: Math.max(nowMs, state.pausedUntilMs ?? 0),
    });
  return {
    calls,
    total,
    isBounded: all.high === null ? maxCalls !== Infinity : maxCalls < all.high,
    low: play(total.low),
    high: total.high === null ? null : play(total.high),
    windows: state.windows.map((window) => ({
      name: window.name,
      limit: limitFor(window.limit, allowance.reserve, purpose),
      left: window.left,
    })),
    perMinute: allowance.perMinute,
  };
}

/** The documented form of a price in `--json`. */
export function costData({ calls, total, low, high, windows, perMinute }: AccountCost) {
  const range = (of: (one: Completion) => number | null) => ({
    low: of(low),
    high: high === null ? null : of(high),
  });
  return {
    calls: total,
    by_kind: { statistics: calls.stats, searches: calls.search, records: calls.entity },
    share_of_allowance: windows.map(({ name, limit, left }) => ({
      window: name,
      limit,
      left,
      share: { low: share(total.low, limit), high: total.high === null ? null : share(total.high, limit) },
    })),
    per_minute: perMinute,
    minutes_at_rate: range(({ atRateMs }) => Math.round(atRateMs / 600) / 100),
    days: range(({ days }) => days),
    affordable: range(({ affordable }) => affordable),
    finishes_at: {
      low: finishOf(low, total.low),
      high: high === null || total.high === null ? null : finishOf(high, total.high),
    },
  };
}

/** null: the account cannot make so many calls, ever. */
function finishOf({ affordable, finishesAtMs }: Completion, calls: number): string | null {
  return affordable < calls ? null : isoTime(finishesAtMs);
}

function bounded({ low, high }: CallRange, most: number): CallRange {
  if (most === Infinity) return { low, high };
  return { low: Math.min(low, most), high: Math.min(high ?? most, most) };
}

function share(calls: number, limit: number): number {
  return Math.round((1000 * calls) / Math.max(1, limit)) / 1000;
}
