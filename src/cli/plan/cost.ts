import { type Completion, type ForecastState, forecastRange } from '../../allowance/call_forecast.ts';
import { windowRow } from '../../allowance/window_table.ts';
import {
  type Allowance,
  isLifetime,
  limitFor,
  type Purpose,
  type WindowName,
} from '../../allowance/windows.ts';
import type { CallKind } from '../../call.ts';
import { isoTime } from '../../clock.ts';
import { type CallRange, sumOf } from '../../estimate/call_range.ts';
import { count, counted, duration, estimatedTime, percent } from '../../report/figures.ts';
import { labelled } from '../text_layout.ts';

/** The estimated number of calls of each kind. */
type EstimatedCalls = Readonly<Record<CallKind, CallRange>>;

/** The cost of the estimated calls for the account, for the lowest and the highest number of calls. */
export type AccountCost = ReturnType<typeof accountCostOf>;

/** The share of an allowance window that this purpose may use. */
interface EstimatedWindow {
  readonly name: WindowName;
  readonly limit: number;
  readonly spent: number;
  readonly left: number;
  /** The calls of the window's limit that this purpose leaves for scheduled runs. */
  readonly reserved?: number;
}

/** The part of the ledger's state that an estimate needs. */
interface AccountState extends Omit<ForecastState, 'windows'> {
  readonly windows: readonly EstimatedWindow[];
  /** The calls that this purpose can make now; Infinity if there is no limit. */
  readonly left: number;
}

export function accountCostOf({
  calls,
  sum = sumOf([calls.stats, calls.search, calls.entity]),
  allowance,
  state,
  purpose,
  nowMs,
  maxCalls,
  finishCondition,
}: {
  readonly calls: EstimatedCalls;
  /** The total number of calls, if its range is narrower than the sum over the kinds. */
  readonly sum?: CallRange;
  readonly allowance: Allowance;
  readonly state: AccountState;
  readonly purpose: Purpose;
  /** When the cost is estimated. */
  readonly nowMs: number;
  /** The maximum number of calls; Infinity if there is no limit. */
  readonly maxCalls: number;
  /** Until when no finish can be expected, such as `until the key is accepted`; null if one can be. */
  readonly finishCondition: string | null;
}) {
  const total = bounded(sum, maxCalls);
  return {
    calls,
    total,
    /** Whether `--max-calls` permits fewer calls than are due. */
    isBounded: sum.high === null ? maxCalls !== Infinity : maxCalls < sum.high,
    ...forecastRange(total, state, { allowance, purpose, nowMs }),
    windows: state.windows.map(({ name, limit: whole, spent, left }): EstimatedWindow => {
      const limit = limitFor(whole, allowance.reserve, purpose);
      return { name, limit, spent, left, reserved: whole - limit };
    }),
    left: state.left,
    perMinute: allowance.perMinute,
    finishCondition,
    nowMs,
  };
}

/** Returns the cost estimate as documented for `--json`. */
export function costData(cost: AccountCost) {
  const { calls, total, low, high, windows, left: callsLeft, perMinute, finishCondition } = cost;
  const finish = (end: Completion | null, needed: number | null) =>
    end === null || needed === null || finishCondition !== null ? null : finishOf(end, needed);
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
    calls_left: callsLeft === Infinity ? null : callsLeft,
    per_minute: perMinute,
    minutes_at_rate: range(({ atRateMs }) => Math.round(atRateMs / 600) / 100),
    days: range(({ days }) => days),
    affordable: range(({ affordable }) => affordable),
    finishes_at: { low: finish(low, total.low), high: finish(high, total.high) },
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

/** Describes a cost estimate as text: calls, allowance, time and finish date. */
export function describeCost(estimate: AccountCost): string[] {
  const { total, calls, windows } = estimate;
  if (total.low === 0 && total.high === 0) return [labelled('cost', 'no calls')];
  const kinds = [
    kind(calls.stats, 'statistics', 'statistics'),
    kind(calls.search, 'search', 'searches'),
    kind(calls.entity, 'record', 'records'),
  ].filter((part) => part !== null);
  return [
    labelled(
      'cost',
      `${range(total, 'call')}${estimate.isBounded ? ' of what is due' : ''}: ${kinds.join(', ')}`,
    ),
    ...windows.map((window) => labelled('allowance', shareOf(total, window))),
    ...(estimate.left === Infinity ? [] : [labelled('left', leftText(estimate))]),
    ...(estimate.perMinute === null ? [] : [labelled('rate', rateOf(estimate))]),
    labelled('finish', finish(estimate)),
  ];
}

/** Formats a range: `1,200 calls`, `1,200 to 1,500 calls`, `at most 1,500 calls`, `at least 1,200 calls`. */
export function range({ low, high }: CallRange, noun: string, plural = `${noun}s`): string {
  if (high === null)
    return low === 0 ? `an unknown number of ${plural}` : `at least ${counted(low, noun, plural)}`;
  if (low === 0 && high > 0) return `at most ${counted(high, noun, plural)}`;
  return low === high ? counted(low, noun, plural) : `${count(low)} to ${counted(high, noun, plural)}`;
}

function kind(calls: CallRange, noun: string, plural: string): string | null {
  return calls.low === 0 && calls.high === 0 ? null : range(calls, noun, plural);
}

function leftText({ left, windows }: AccountCost): string {
  const reserved = windows.toSorted((one, other) => one.left - other.left)[0]?.reserved ?? 0;
  return `${counted(left, 'call')}${reserved > 0 ? ` without the reserve of ${count(reserved)}` : ''}`;
}

function shareOf({ low, high }: CallRange, { name, limit, spent }: EstimatedWindow): string {
  const most = high ?? low;
  const limitText = isLifetime({ name })
    ? `of ${counted(limit, 'call')} in total`
    : `of ${counted(limit, 'call')} ${windowRow(name).words.per}`;
  if (most <= limit) {
    const shares = between(percent(low / limit), percent(most / limit));
    return `${high === null ? 'at least ' : ''}${shares} ${limitText}; ${count(spent)} used`;
  }
  return `${between(times(low / limit), times(most / limit))} ${limitText.replace(/^of/, 'times')}; ${count(spent)} used`;
}

/** Joins the ends of a range, unless they are equal after rounding. */
function between(low: string, high: string): string {
  return low === high ? low : `${low} to ${high}`;
}

function times(value: number): string {
  return value >= 10 ? count(Math.round(value)) : String(Math.round(value * 10) / 10);
}

function rateOf({ low, high, perMinute }: AccountCost): string {
  const longest = high ?? low;
  const time = between(duration(low.atRateMs), duration(longest.atRateMs));
  return `${high === null ? 'at least ' : ''}${time} at ${counted(perMinute ?? 0, 'call')} a minute`;
}

function days(low: Completion, high: Completion): string {
  const most = Math.max(low.days, high.days);
  return low.days === most ? counted(most, 'day') : `${count(low.days)} to ${counted(most, 'day')}`;
}

function finish({ low, high, total, finishCondition, nowMs }: AccountCost): string {
  if (finishCondition !== null) return `unknown ${finishCondition}`;
  if (low.affordable < total.low) return `never: ${neededCalls(low, total)}`;
  const earliest = estimatedTime(low.finishesAtMs, nowMs);
  if (high === null || total.high === null)
    return `${earliest} at the earliest; the number of companies to find is unknown`;
  if (high.affordable < total.high)
    return `${earliest} at the earliest, or never: ${neededCalls(high, total)}`;
  const latest = estimatedTime(high.finishesAtMs, nowMs);
  const on = high.days <= 1 ? '' : `, with calls on ${days(low, high)}`;
  return `${period(earliest, latest)}${on}`;
}

/** Joins two times or dates. The day is shown once if both are on the same day. */
function period(first: string, last: string): string {
  const [day, time] = last.split(', ');
  if (first === last || first.startsWith(`${last}, `)) return last;
  return `between ${first} and ${first.startsWith(`${day}, `) ? time : last}`;
}

/** Compares the needed with the affordable calls: `the allowance permits 90 of 778 to 1,156 calls`. */
function neededCalls({ affordable }: Completion, calls: CallRange): string {
  return `the allowance permits ${count(affordable)} of ${range(calls, 'call')}`;
}
