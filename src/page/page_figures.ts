import { DateTime } from 'luxon';
import { HOUR_MS } from '../durations.ts';
import { localTime } from '../report/figures.ts';
import { type Html, html } from './html.ts';

/** Formats figures and times for the page in a short form, with all times in one time zone. */

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** Formats a number for an axis: `950`, `12K`, `1.2M`. */
export function compact(value: number): string {
  return short.format(value);
}

/** Formats times (epoch milliseconds) in one time zone. */
export interface Times {
  readonly zone: string;
  /**
   * Returns a time element: `14:05:12` if within the last hour, `14:05` if today, `20 Nov 14:05` if within 300 days,
   * otherwise `20 Nov 2025`.
   */
  brief(atMs: number): Html;
  /** Returns a time element such as `21 Nov 2026, 14:05`. */
  full(atMs: number): Html;
  /** Returns the same text as `full`, without an element. */
  text(atMs: number): string;
  /** Returns plain text with the time zone, such as `21 Nov 2026, 14:05 CET`. */
  zoned(atMs: number): string;
}

export function timesIn(zone: string, nowMs: number): Times {
  const at = (ms: number) => DateTime.fromMillis(ms, { zone });
  const now = at(nowMs);
  const element = (ms: number, text: string) =>
    html`<time datetime="${new Date(ms).toISOString()}">${text}</time>`;
  const text = (ms: number) => at(ms).toFormat('d LLL yyyy, HH:mm');
  return {
    zone,
    text,
    zoned: (ms) => localTime(ms, zone),
    full: (ms) => element(ms, text(ms)),
    brief(ms) {
      const then = at(ms);
      if (ms <= nowMs && nowMs - ms < HOUR_MS) return element(ms, then.toFormat('HH:mm:ss'));
      if (then.hasSame(now, 'day')) return element(ms, then.toFormat('HH:mm'));
      if (Math.abs(then.diff(now, 'days').days) < 300) return element(ms, then.toFormat('d LLL HH:mm'));
      return element(ms, then.toFormat('d LLL yyyy'));
    },
  };
}
