import { z } from 'zod';
import type { ReportedQuota } from '../allowance/upstream_reports.ts';
import { windowRows } from '../allowance/window_table.ts';
import { MINUTE_MS } from '../durations.ts';
import type { Json } from '../json/json.ts';
import { HeaderOrPath, textIn } from './header_or_path.ts';
import { type Headers, limitTimeMs } from './headers.ts';
import { spacingFor, statedSpacingMs } from './rate_words.ts';
import type { Body } from './response_body.ts';

/** Limits that responses report. They can only tighten the configured limits. */

const source = HeaderOrPath.describe('header name, or JSON path in the body, which begins with "/"');

export const ReportedLimit = z
  .strictObject({
    window: z
      .enum(['minute', ...windowRows().map(({ name }) => name)])
      .nullable()
      .default(null)
      .describe('period that the limit covers; null if it is unknown'),
    remaining: source.nullable().default(null).describe('number of remaining calls'),
    limit: source.nullable().default(null).describe('number of calls in the window'),
    reset: source.nullable().default(null).describe('when the window resets: a time, or seconds from now'),
  })
  .refine(({ window, remaining, limit }) => remaining !== null || (limit !== null && window !== null), {
    message: 'requires remaining, or limit and window',
  });
export type ReportedLimit = z.infer<typeof ReportedLimit>;

/** The limits that one response reports. */
export interface LimitReport {
  /** Quotas whose window is longer than a minute, or unknown. */
  readonly quotas: readonly ReportedQuota[];
  /** When calls may resume after a limit per minute is used up; null if no pause is required. */
  readonly pausedUntilMs: number | null;
  /** The shortest time between two calls; 0 if it is not reported. */
  readonly spacingMs: number;
}

export type ReadLimits = (
  reply: { readonly status: number; readonly headers: Headers; readonly body: Body },
  nowMs: number,
) => LimitReport;

/**
 * Returns a function that reads the limits in a response, from the headers and JSON paths in `limits` and from error
 * messages.
 */
export function openReportedLimits(limits: readonly ReportedLimit[]): ReadLimits {
  return ({ status, headers, body }, nowMs) => {
    const reports = limits.map((limit) => reportAt(limit, headers, body.json, nowMs));
    const statedMs = status >= 400 && body.text !== null ? statedSpacingMs(body.text) : null;
    return {
      quotas: reports.flatMap(({ window, ...quota }) =>
        window === 'minute' || (quota.left === null && quota.limit === null) ? [] : [{ window, ...quota }],
      ),
      pausedUntilMs: latest(reports.map((report) => pauseOf(report, nowMs))),
      spacingMs: Math.max(0, ...reports.map(spacingOf), statedMs ?? 0),
    };
  };
}

type Report = Omit<ReportedQuota, 'window'> & Pick<ReportedLimit, 'window'>;

function reportAt(
  { window, remaining, limit, reset }: ReportedLimit,
  headers: Headers,
  json: Json | undefined,
  nowMs: number,
): Report {
  const stated = (at: string | null) => textIn(at, headers, json);
  return {
    window,
    left: callsIn(stated(remaining)),
    limit: callsIn(stated(limit)),
    resetsAtMs: limitTimeMs(stated(reset), headers, nowMs),
  };
}

/** Reads a number of calls. A negative number counts as 0. */
function callsIn(text: string | null): number | null {
  const digits = /^\s*(-?\d{1,12})(\.0+)?\s*$/.exec(text ?? '')?.[1];
  return digits === undefined ? null : Math.max(0, Number(digits));
}

function pauseOf({ window, left, resetsAtMs }: Report, nowMs: number): number | null {
  return window === 'minute' && left === 0 ? (resetsAtMs ?? nowMs + MINUTE_MS) : null;
}

function spacingOf({ window, limit }: Report): number {
  return window === 'minute' && limit !== null && limit > 0 ? spacingFor(limit, MINUTE_MS) : 0;
}

function latest(times: readonly (number | null)[]): number | null {
  return times.reduce((late, time) => (time !== null && time > (late ?? 0) ? time : late), null);
}
