import type { Forecast } from '../../allowance/forecast.ts';
import { count, counted, percent } from '../../figures.ts';
import type { CallRange } from '../../plan/price_range.ts';
import { duration, localTime } from '../format.ts';
import type { Price, PricedWindow } from './price.ts';

/** A price in words, a line for each thing that one would ask. */
export function describePrice(price: Price): string[] {
  const { total, calls, low, high, windows } = price;
  if (total.low === 0 && total.high === 0) return ['  price      no call'];
  const kinds = [
    kind(calls.stats, 'statistics', 'statistics'),
    kind(calls.search, 'search', 'searches'),
    kind(calls.entity, 'record', 'records'),
  ].filter((part) => part !== null);
  return [
    `  price      ${range(total, 'call')}${price.isBounded ? ' of what is due' : ''}: ${kinds.join(', ')}`,
    ...windows.map((window) => `  allowance  ${shareOf(total, window)}`),
    ...(price.perMinute === null ? [] : [`  rate       ${rateOf(price)}`]),
    `  finish     ${finish(low, high, total)}`,
  ];
}

/** `1,200 calls`, `1,200 to 1,500 calls`, `at least 1,200 calls`, `an unknown number of calls`. */
export function range({ low, high }: CallRange, noun: string, plural = `${noun}s`): string {
  if (high === null)
    return low === 0 ? `an unknown number of ${plural}` : `at least ${counted(low, noun, plural)}`;
  return low === high ? counted(low, noun, plural) : `${count(low)} to ${counted(high, noun, plural)}`;
}

function kind(calls: CallRange, noun: string, plural: string): string | null {
  return calls.low === 0 && calls.high === 0 ? null : range(calls, noun, plural);
}

function shareOf({ low, high }: CallRange, { name, limit, left }: PricedWindow): string {
  const most = high ?? low;
  const whose =
    name === 'total'
      ? `of the account's ${counted(limit, 'call')}`
      : `of ${counted(limit, 'call')} a ${name}`;
  const remains = `${count(left)} left`;
  if (most <= limit) {
    const shares =
      low === most ? percent(low / limit) : `${percent(low / limit)} to ${percent(most / limit)}`;
    return `${high === null ? 'at least ' : ''}${shares} ${whose}; ${remains}`;
  }
  return `${times(low / limit)}${low === most ? '' : ` to ${times(most / limit)}`} ${whose.replace(/^of/, 'times')}; ${remains}`;
}

function times(value: number): string {
  return value >= 10 ? count(Math.round(value)) : String(Math.round(value * 10) / 10);
}

function rateOf({ low, high, perMinute }: Price): string {
  const longest = high ?? low;
  const time =
    low.atRateMs === longest.atRateMs
      ? duration(low.atRateMs)
      : `${duration(low.atRateMs)} to ${duration(longest.atRateMs)}`;
  return `${high === null ? 'at least ' : ''}${time} at ${counted(perMinute ?? 0, 'call')} a minute`;
}

function days(low: Forecast, high: Forecast): string {
  const most = Math.max(low.days, high.days);
  return low.days === most ? counted(most, 'day') : `${count(low.days)} to ${counted(most, 'day')}`;
}

function finish(low: Forecast, high: Forecast | null, total: CallRange): string {
  const earliest = end(low, total.low);
  if (high === null || total.high === null) return `${earliest} at the earliest`;
  const latest = end(high, total.high);
  const on = high.days <= 1 ? '' : `, with calls on ${days(low, high)}`;
  return `${earliest === latest ? earliest : `between ${earliest} and ${latest}`}${on}`;
}

function end({ affordable, finishesAtMs }: Forecast, calls: number): string {
  if (affordable < calls)
    return `never: this account can make ${count(affordable)} of ${counted(calls, 'call')}`;
  return localTime(finishesAtMs);
}
