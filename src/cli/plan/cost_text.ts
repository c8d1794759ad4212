import type { Completion } from '../../allowance/completion.ts';
import { windowRow } from '../../allowance/window_table.ts';
import { isLifetime } from '../../allowance/windows.ts';
import type { CallRange } from '../../estimate/call_range.ts';
import { count, counted, duration, estimatedTime, percent } from '../../report/figures.ts';
import { labelled } from '../text_layout.ts';
import type { AccountCost, EstimatedWindow } from './account_cost.ts';

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
    ...(estimate.perMinute === null ? [] : [labelled('rate', rateOf(estimate))]),
    labelled('finish', finish(estimate)),
  ];
}

/** Formats a range: `1,200 calls`, `1,200 to 1,500 calls`, `at least 1,200 calls`, `an unknown number of calls`. */
export function range({ low, high }: CallRange, noun: string, plural = `${noun}s`): string {
  if (high === null)
    return low === 0 ? `an unknown number of ${plural}` : `at least ${counted(low, noun, plural)}`;
  return low === high ? counted(low, noun, plural) : `${count(low)} to ${counted(high, noun, plural)}`;
}

function kind(calls: CallRange, noun: string, plural: string): string | null {
  return calls.low === 0 && calls.high === 0 ? null : range(calls, noun, plural);
}

function shareOf({ low, high }: CallRange, { name, limit, left, reserved = 0 }: EstimatedWindow): string {
  const most = high ?? low;
  const limitText = isLifetime({ name })
    ? `of ${counted(limit, 'call')} in total`
    : `of ${counted(limit, 'call')} ${windowRow(name).words.per}`;
  const remaining = `${count(left)} left${reserved > 0 ? ` without the reserve of ${count(reserved)}` : ''}`;
  if (most <= limit) {
    const shares = between(percent(low / limit), percent(most / limit));
    return `${high === null ? 'at least ' : ''}${shares} ${limitText}; ${remaining}`;
  }
  return `${between(times(low / limit), times(most / limit))} ${limitText.replace(/^of/, 'times')}; ${remaining}`;
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

function finish({ low, high, total, nowMs }: AccountCost): string {
  if (low.affordable < total.low) return `never: ${neededCalls(low, total)}`;
  const earliest = estimatedTime(low.finishesAtMs, nowMs);
  if (high === null || total.high === null) {
    const notBefore = low.days > 1 ? `; not before ${earliest}` : '';
    return `unknown, because the number of companies to find is unknown${notBefore}`;
  }
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

/** Compares the needed with the affordable calls, such as `778–1,156 calls needed, 90 left`. */
function neededCalls({ affordable }: Completion, { low, high }: CallRange): string {
  const needed =
    high === null
      ? `at least ${counted(low, 'call')}`
      : low === high
        ? counted(low, 'call')
        : `${count(low)}–${counted(high, 'call')}`;
  return `${needed} needed, ${count(affordable)} left`;
}
