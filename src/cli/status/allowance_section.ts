import type { Database } from 'better-sqlite3';
import type { LedgerState, WindowState } from '../../allowance/ledger.ts';
import { windowRow } from '../../allowance/window_table.ts';
import { isoTime } from '../../clock.ts';
import { HOUR_MS } from '../../durations.ts';
import { count, counted, localTime } from '../../report/figures.ts';
import {
  type CallRate,
  forecastQuota,
  observedRate,
  quotaForecastText,
  RATE_PERIOD_MS,
} from '../../report/quota_forecast.ts';
import { callBuckets, callSpan } from '../../warehouse/page_queries.ts';
import { section } from './section.ts';

export const callsLastHourSection = section({
  key: 'calls_last_hour',
  empty: undefined,
  read: ({ mirror, nowMs }) => (mirror === null ? null : callsLastHour(mirror.db, nowMs)),
  json: (calls) => calls,
});

export const allowanceSection = section({
  key: 'allowance',
  empty: null,
  read: ({ allowance, config, mirror, nowMs }) => ({
    ...allowance,
    perMinute: config.allowance.per_minute,
    callsLastHour: mirror === null ? null : callsLastHour(mirror.db, nowMs),
    rate: mirror === null ? NO_CALLS : readRate(mirror.db, nowMs),
  }),
  json({ scheduled, backfill, perMinute }) {
    const { left, resumesAtMs, pausedUntilMs, refusedKey, exhausted, reported, windows } = scheduled;
    return {
      left: finite(left),
      left_for_backfills: finite(backfill.left),
      per_minute: perMinute,
      resumes_at: timeOf(resumesAtMs),
      paused_until: timeOf(pausedUntilMs),
      key_refused_at: timeOf(refusedKey?.sinceMs ?? null),
      exhausted_by_upstream:
        exhausted === null ? null : { at: isoTime(exhausted.atMs), until: timeOf(exhausted.untilMs) },
      reported_by_upstream:
        reported === null ? null : { left: reported.left, until: timeOf(reported.untilMs) },
      windows: windows.map(({ name, limit, spent, left: windowLeft, resetsAtMs }) => ({
        name,
        limit,
        spent,
        left: windowLeft,
        resets_at: timeOf(resetsAtMs),
      })),
    };
  },
  lines({ scheduled, backfill, perMinute, callsLastHour: recent, rate }, { nowMs }) {
    const { windows } = scheduled;
    const windowLines = windows.flatMap((window, at) => {
      const reserved = window.left - Math.min(window.left, backfill.windows[at]?.left ?? window.left);
      return [windowLine(window, reserved), ...forecastLine(window, rate, { windows, nowMs })];
    });
    const limit = perMinute === null ? 'no limit' : `at most ${counted(perMinute, 'call')} a minute`;
    const used = recent === null ? '' : `; ${counted(recent, 'call')} in the last hour`;
    return [
      ...(windowLines.length === 0 ? ['  allowance  unlimited'] : windowLines),
      `  rate       ${limit}${used}`,
      ...pauseLines(scheduled),
    ];
  },
});

function callsLastHour(db: Database, nowMs: number): number {
  const hour = { fromMs: Math.round(nowMs) - HOUR_MS, toMs: Math.round(nowMs) + 1, bucketMs: HOUR_MS };
  const sent = callBuckets(db)(hour).filter(({ outcome }) => outcome !== 'unsent');
  return sent.reduce((sum, { calls }) => sum + calls, 0);
}

function readRate(db: Database, nowMs: number): CallRate {
  const firstCallMs = callSpan(db)()?.firstMs ?? null;
  // Read one more hour, because the period can start in the middle of an hour.
  const fromMs = Math.round(nowMs) - RATE_PERIOD_MS - HOUR_MS;
  const hours = callBuckets(db)({ fromMs, toMs: Math.round(nowMs) + 1, bucketMs: HOUR_MS });
  return observedRate(hours, { firstCallMs, nowMs });
}

function windowLine({ name, limit, spent, left, resetsAtMs }: WindowState, reserved: number): string {
  const period = windowRow(name).words.current;
  const reserve = reserved > 0 ? ` (${count(reserved)} reserved for scheduled runs)` : '';
  const reset = resetsAtMs === null ? '' : `; resets ${localTime(resetsAtMs)}`;
  return `  allowance  ${count(spent)} of ${counted(limit, 'call')} used ${period}, ${count(left)} left${reserve}${reset}`;
}

function forecastLine(
  window: WindowState,
  rate: CallRate,
  account: { readonly windows: readonly WindowState[]; readonly nowMs: number },
): string[] {
  const text = quotaForecastText(forecastQuota(window, rate, account), account.nowMs, localTime);
  return text === null ? [] : [`             ${text}`];
}

/** Returns a line for each reason why no call can be made now. */
function pauseLines({ exhausted, reported, pausedUntilMs, left, resumesAtMs }: LedgerState): string[] {
  const lines: string[] = [];
  if (exhausted !== null)
    lines.push(
      `  upstream   reported on ${localTime(exhausted.atMs)} that the quota is used up; the ledger counted ${count(exhausted.left)} left`,
    );
  if (reported !== null)
    lines.push(
      `  upstream   reports ${counted(reported.left, 'call')} left until ${localTime(reported.untilMs)}`,
    );
  if (left <= 0)
    lines.push(
      resumesAtMs === null
        ? '  paused     this account has no calls left'
        : `  paused     until ${localTime(resumesAtMs)}`,
    );
  else if (pausedUntilMs !== null)
    lines.push(`  paused     by the upstream until ${localTime(pausedUntilMs)}`);
  return lines;
}

function finite(calls: number): number | null {
  return calls === Number.POSITIVE_INFINITY ? null : calls;
}

// A permanent pause is stored as a time later than any date.
function timeOf(ms: number | null): string | null {
  return ms === null || ms > LAST_DATE_MS ? null : isoTime(ms);
}

const NO_CALLS: CallRate = { calls: 0, overMs: 0 };
const LAST_DATE_MS = 8.64e15;
