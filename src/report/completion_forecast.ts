import type { Database } from 'better-sqlite3';
import { DateTime } from 'luxon';
import { forecastRange } from '../allowance/call_forecast.ts';
import type { LedgerState } from '../allowance/ledger.ts';
import type { Allowance } from '../allowance/windows.ts';
import { type CheckedKind, CONTROL_KEY } from '../plan/rejection_check.ts';
import { sentCalls } from '../warehouse/call_counts.ts';
import { areRecordsDoubted, metaTable, type StoredEstimate } from '../warehouse/meta.ts';
import { isQueryRefused } from '../warehouse/query.ts';
import { count, counted } from './figures.ts';

/** A forecast of when nothing will be due any more. */
export type CompletionForecast =
  /** `until`: when a finish can be expected, such as `until the key is accepted`; null before the first estimate. */
  | { readonly is: 'unknown'; readonly until: string | null }
  /**
   * Nothing was due when the last run ended. `complete`: a count or a whole listing also shows that every company is
   * known. `nothing_due`: companies that no search finds may be missing.
   */
  | { readonly is: 'complete' | 'nothing_due'; readonly estimatedAtMs: number }
  | {
      readonly is: 'expected';
      readonly estimatedAtMs: number;
      readonly earliestMs: number;
      /**
       * The latest expected finish; null if the number of calls has no known upper bound, and Infinity if the allowance
       * might never permit all calls.
       */
      readonly latestMs: number | null;
    }
  /** The allowance will never permit all remaining calls. */
  | {
      readonly is: 'unaffordable';
      readonly estimatedAtMs: number;
      readonly calls: number;
      readonly affordable: number;
    };

export interface CompletionFacts {
  readonly nowMs: number;
  readonly stored: StoredEstimate | null;
  /** Whether a registry count or a listing of all companies shows that every company is known. */
  readonly isWhole: boolean;
  /** The number of calls sent since the estimate. */
  readonly callsSince: number;
  readonly allowance: Allowance;
  readonly ledger: LedgerState;
  readonly rejected: ReadonlySet<CheckedKind>;
}

/** Subtracts the calls sent since the estimate, and simulates the allowance windows for the remaining calls. */
export function forecastMirror(facts: CompletionFacts): CompletionForecast {
  const { nowMs, stored, callsSince, allowance, ledger } = facts;
  const until = finishCondition(ledger, facts.rejected);
  if (stored === null || ledger.refusedKey !== null) return { is: 'unknown', until };
  const estimatedAtMs = Date.parse(stored.at);
  const low = Math.max(0, stored.calls.low - callsSince);
  const high = stored.calls.high === null ? null : Math.max(0, stored.calls.high - callsSince);
  if (high === 0) return { is: facts.isWhole ? 'complete' : 'nothing_due', estimatedAtMs };
  if (until !== null) return { is: 'unknown', until };
  const forecast = forecastRange({ low, high }, ledger, { allowance, purpose: 'scheduled', nowMs });
  const { low: first, high: last } = forecast;
  if (first.affordable < low)
    return { is: 'unaffordable', estimatedAtMs, calls: low, affordable: first.affordable };
  const expected = { is: 'expected', estimatedAtMs, earliestMs: first.finishesAtMs } as const;
  if (high === null || last === null) return { ...expected, latestMs: null };
  return { ...expected, latestMs: last.affordable < high ? Infinity : last.finishesAtMs };
}

export function readCompletion(
  db: Database,
  facts: Pick<CompletionFacts, 'nowMs' | 'allowance' | 'ledger' | 'isWhole'>,
): CompletionForecast {
  const stored = metaTable(db).get('estimate');
  const fromMs = stored === null ? facts.nowMs : Date.parse(stored.at);
  const callsSince = sentCalls(db, fromMs, Math.max(fromMs, facts.nowMs) + 1);
  return forecastMirror({ ...facts, stored, callsSince, rejected: rejectedKinds(db) });
}

/** Returns the kinds of calls that the upstream rejected without exception when they were last sent. */
export function rejectedKinds(db: Database): ReadonlySet<CheckedKind> {
  const rejected = new Set<CheckedKind>();
  if (isQueryRefused(db, CONTROL_KEY)) rejected.add('search');
  if (areRecordsDoubted(db)) rejected.add('entity');
  return rejected;
}

/** Returns until when no finish can be expected, such as `until the key is accepted`; null if one can be. */
export function finishCondition(
  { refusedKey }: Pick<LedgerState, 'refusedKey'>,
  rejected: ReadonlySet<CheckedKind>,
): string | null {
  if (refusedKey !== null) return 'until the key is accepted';
  if (rejected.has('search')) return 'until the upstream accepts a search';
  return rejected.has('entity') ? 'until the upstream returns a record' : null;
}

/**
 * Returns the earliest and latest expected finish. Null means unknown, and Infinity means that the allowance never
 * permits it.
 */
export function completionBounds(forecast: CompletionForecast): {
  readonly earliestMs: number | null;
  readonly latestMs: number | null;
} {
  switch (forecast.is) {
    case 'unknown':
      return { earliestMs: null, latestMs: null };
    case 'complete':
    case 'nothing_due':
      return { earliestMs: forecast.estimatedAtMs, latestMs: forecast.estimatedAtMs };
    case 'unaffordable':
      return { earliestMs: Infinity, latestMs: Infinity };
    case 'expected':
      return forecast;
  }
}

/** Returns the forecast as text, such as `Expected by 11–15 January`. */
export function completionText(forecast: CompletionForecast, nowMs: number, zone?: string): string {
  switch (forecast.is) {
    case 'unknown':
      return forecast.until === null ? 'Not estimated yet' : `Unknown ${forecast.until}`;
    case 'complete':
    case 'nothing_due':
      // Companies that no search finds may still be missing.
      return 'Nothing is due';
    case 'unaffordable':
      return `Never: the allowance permits ${count(forecast.affordable)} of at least ${counted(forecast.calls, 'call')}`;
    case 'expected': {
      const { earliestMs, latestMs } = forecast;
      const isBounded = latestMs !== null && latestMs !== Infinity;
      const on = dates(earliestMs, isBounded ? latestMs : earliestMs, nowMs, zone);
      if (isBounded) return on === 'today' ? 'Expected today' : `Expected by ${on}`;
      const condition = latestMs === null ? '' : ', if the allowance suffices';
      return `Expected ${on === 'today' ? on : `on ${on}`} at the earliest${condition}`;
    }
  }
}

/**
 * Formats a range of dates: `today`, `11 January`, `11–15 January`, `28 January – 3 February`. The year is added if it
 * is not the current year.
 */
function dates(fromMs: number, toMs: number, nowMs: number, zone = 'local'): string {
  const [from, to, now] = [fromMs, toMs, nowMs].map((ms) =>
    DateTime.fromMillis(ms, { zone, locale: 'en-GB' }),
  );
  if (from === undefined || to === undefined || now === undefined) return '';
  if (to.hasSame(now, 'day')) return 'today';
  const year = to.hasSame(now, 'year') ? '' : ' yyyy';
  const end = to.toFormat(`d LLLL${year}`);
  if (from.hasSame(to, 'day')) return end;
  if (from.hasSame(to, 'month')) return `${from.day}–${end}`;
  return `${from.toFormat(from.hasSame(to, 'year') ? 'd LLLL' : 'd LLLL yyyy')} – ${end}`;
}
