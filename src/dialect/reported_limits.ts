import { z } from 'zod';
import type { ReportedQuota } from '../allowance/upstream_reports.ts';
import { windowRows } from '../allowance/window_table.ts';
import { HOUR_MS, MINUTE_MS } from '../durations.ts';
import type { Json } from '../json/json.ts';
import { withoutDiacritics } from '../names/folding.ts';
import { HeaderOrPath, textIn } from './header_or_path.ts';
import { type Headers, limitTimeMs } from './headers.ts';
import { MAX_SEARCHED_CHARS } from './quota_words.ts';
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

/**
 * Reads the rate in an error text such as "max 5 requests per second", in several languages. Returns the time between
 * two calls in milliseconds, or null if the text states no rate. If the text states several rates, the slowest applies.
 * A limit per day or longer is a quota, not a rate.
 */
export function statedSpacingMs(text: string): number | null {
  const plain = withoutDiacritics(text.slice(0, MAX_SEARCHED_CHARS));
  const rates = [...plain.matchAll(COUNTED), ...plain.matchAll(PER_UNIT), ...plain.matchAll(ABBREVIATED)];
  const spacings = rates.flatMap(({ groups: { calls = '', periods = '1', unit = '' } = {} }) => {
    const periodMs = Number(periods) * (UNITS.find(([stems]) => stems.test(unit))?.[1] ?? 0);
    const isRate = Number(calls) > 0 && periodMs > 0 && periodMs <= HOUR_MS;
    return isRate ? [spacingFor(Number(calls), periodMs)] : [];
  });
  return spacings.length === 0 ? null : Math.max(...spacings);
}

/**
 * Returns how many milliseconds to leave between two calls if at most `calls` may arrive in any period: (period +
 * 1,000) / calls. The 1,000 ms allow for a call that arrives up to a second late.
 */
function spacingFor(calls: number, periodMs: number): number {
  return (periodMs + JITTER_MS) / calls;
}

const NUMBER = '(?<![\\d.,])(?<calls>\\d{1,6})\\s*';
const CALLS = `(?:requests?|calls?|queries|hits|req|anfragen?|abfragen?|aufrufe?|requetes?|appels?|solicitud(?:es)?
  |peticion(?:es)?|consultas?|llamadas?|richiest[ae]|chiamat[ae]|verzoek(?:en)?|aanvra(?:ag|gen)|foresp[oø]r\\p{L}*|kall|kald|anrop|forfragning(?:ar)?|pedidos?|requisic(?:ao|oes)|chamadas?
  |zapytan(?:ia)?|zadan(?:ia)?|pyynto[an]?)`;
const UNIT = `(?:the\\s+)?(?<periods>\\d{1,4})?\\s*(?<unit>seconds?|secs?|s|sekund\\p{L}*|secondes?|segundos?|secondo|secondi
  |minu+t\\p{L}*|mins?|hours?|h|stunden?|heures?|horas?|or[ae]|uur|timer?|timme|godzin\\p{L}*|tunti|tunnissa)(?![\\p{L}\\d])`;
const pattern = (...parts: string[]) => new RegExp(parts.join('').replace(/\n\s+/g, ''), 'gu');

/** Matches "5 requests per second", "100 calls within 10 s", "20 Anfragen pro Minute", "5 pyyntöä minuutissa". */
const COUNTED = pattern(
  NUMBER,
  `(?:\\p{L}+\\s+)?${CALLS}(?!\\p{L})\\s*(?:/|(?:per|an?|each|every|in|within|pro|je|par|por|al|alla|ogni|op|i|om|na|w)\\s)?\\s*`,
  UNIT,
);

/** Matches "Limit: 5 per second" and "10/min". */
const PER_UNIT = pattern(NUMBER, '(?:/|per\\s|pro\\s|par\\s|por\\s)\\s*', UNIT);

/** Matches "5 rps". */
const ABBREVIATED = pattern(NUMBER, '[rqt]p(?<unit>[sm])(?![\\p{L}\\d])');

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(h|or|uur|tim|godz|tun|stund)/, HOUR_MS],
  [/^s/, 1_000],
  [/^m/, 60_000],
];
const JITTER_MS = 1_000;
