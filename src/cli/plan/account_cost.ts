import { type Completion, type ForecastState, forecastRange } from '../../allowance/completion.ts';
import type { Allowance, Purpose, WindowName } from '../../allowance/windows.ts';
import { limitFor } from '../../allowance/windows.ts';
import type { CallKind } from '../../call.ts';
import { isoTime } from '../../clock.ts';
import { type CallRange, sumOf } from '../../estimate/call_range.ts';

/** The estimated number of calls of each kind. */
type EstimatedCalls = Readonly<Record<CallKind, CallRange>>;

/** What the estimated calls cost the account, for the lowest and the highest number of calls. */
export interface AccountCost {
  readonly calls: EstimatedCalls;
  readonly total: CallRange;
  /** Whether `--max-calls` permits fewer calls than are due. */
  readonly isBounded: boolean;
  readonly low: Completion;
  /** The cost of the highest number of calls; null if that number has no known upper bound. */
  readonly high: Completion | null;
  readonly windows: readonly EstimatedWindow[];
  readonly perMinute: number | null;
  /** When the cost was estimated. */
  readonly nowMs: number;
}

/** The share of an allowance window that this purpose may use. */
export interface EstimatedWindow {
  readonly name: WindowName;
  readonly limit: number;
  readonly left: number;
  /** The calls of the window's limit that this purpose leaves for scheduled runs. */
  readonly reserved?: number;
}

/** The part of the ledger's state that an estimate needs. */
type AccountState = Omit<ForecastState, 'windows'> & { readonly windows: readonly EstimatedWindow[] };

export function accountCostOf({
  calls,
  sum = sumOf([calls.stats, calls.search, calls.entity]),
  allowance,
  state,
  purpose,
  nowMs,
  maxCalls,
}: {
  readonly calls: EstimatedCalls;
  /** The total number of calls, if its range is narrower than the sum over the kinds. */
  readonly sum?: CallRange;
  readonly allowance: Allowance;
  readonly state: AccountState;
  readonly purpose: Purpose;
  readonly nowMs: number;
  /** The maximum number of calls; Infinity if there is no limit. */
  readonly maxCalls: number;
}): AccountCost {
  const total = bounded(sum, maxCalls);
  return {
    calls,
    total,
    isBounded: sum.high === null ? maxCalls !== Infinity : maxCalls < sum.high,
    ...forecastRange(total, state, { allowance, purpose, nowMs }),
    windows: state.windows.map(({ name, limit: whole, left }) => {
      const limit = limitFor(whole, allowance.reserve, purpose);
      return { name, limit, left, reserved: whole - limit };
    }),
    perMinute: allowance.perMinute,
    nowMs,
  };
}

/** Returns the cost estimate as documented for `--json`. */
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

/** Returns when the calls will be finished, or null if the account can never make that many calls. */
function finishOf({ affordable, finishesAtMs }: Completion, calls: number): string | null {
  return affordable < calls ? null : isoTime(finishesAtMs);
}

function bounded({ low, high }: CallRange, maxCalls: number): CallRange {
  if (maxCalls === Infinity) return { low, high };
  return { low: Math.min(low, maxCalls), high: Math.min(high ?? maxCalls, maxCalls) };
}

function share(calls: number, limit: number): number {
  return Math.round((1000 * calls) / Math.max(1, limit)) / 1000;
}
