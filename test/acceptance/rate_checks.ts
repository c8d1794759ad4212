import type { TrialResult } from './rate_trial.ts';

/** A row of `_call`. */
export interface SentCall {
  readonly kind: 'stats' | 'search' | 'entity';
  readonly reason: string;
  readonly expected: number;
  readonly new: number;
  readonly sentAtMs: number;
  readonly ms: number;
}

/**
 * Calls that arrived before their slot. Slots are (60,000 + 1,000) / per_minute ms apart, so arrival j may come no
 * earlier than (j - i) × spacing after arrival i. An exception of 1,000 ms applies, because arrival i may have been
 * late. Even with it, at most per_minute calls arrive in any 60 seconds, however long the run is.
 */
export function soonerThanRate(timesMs: readonly number[], perMinute: number): number {
  const spacingMs = 61_000 / perMinute;
  let earliestSlotMs = Number.NEGATIVE_INFINITY;
  let sooner = 0;
  for (const timeMs of timesMs) {
    if (timeMs < earliestSlotMs - TOLERANCE_MS) sooner += 1;
    earliestSlotMs = Math.max(earliestSlotMs, timeMs) + spacingMs;
  }
  return sooner;
}

const TOLERANCE_MS = 1000;

export interface EarlyRecord {
  /** The highest expected yield of any search at the time of the record call. */
  readonly bestSearch: number;
  readonly isDuringSearch: boolean;
}

/**
 * Returns record calls that were sent although a search was still expected to find companies. Any later search by the
 * run shows this. If there is none and the list is incomplete, the last search's yield is used instead. Control calls
 * and witness calls may be sent first, because they prove a deletion and have no expected yield.
 */
export function earlyRecords(
  calls: readonly SentCall[],
  { listed, companies }: { readonly listed: number; readonly companies: number },
): EarlyRecord[] {
  const searches = calls.filter(({ kind }) => kind === 'search');
  return calls.flatMap((call, at) => {
    if (call.kind !== 'entity' || call.expected === 0) return [];
    const later = calls.slice(at + 1).filter(({ kind }) => kind === 'search');
    const candidates = later.length === 0 && listed < companies ? searches.slice(-1) : later;
    const bestSearch = Math.max(0, ...candidates.map(({ expected }) => expected));
    if (bestSearch === 0) return [];
    const isDuringSearch = searches.some(
      ({ sentAtMs, ms }) => sentAtMs <= call.sentAtMs && call.sentAtMs < sentAtMs + ms,
    );
    return [{ bestSearch, isDuringSearch }];
  });
}

/** Returns one sentence for each failed check. */
export function failedChecks(results: readonly TrialResult[]): string[] {
  return [...results.flatMap(failuresOfOne), ...fewerThanWithOne(results)];
}

function failuresOfOne(result: TrialResult): string[] {
  const { trial, ended, calls, peakMinute, overAllowance, tooSoon, earlyRecords: early } = result;
  const made = calls.stats + calls.search + calls.entity;
  const failures = [
    ended === 'max_calls' ? null : `ended with ${ended}, not max_calls`,
    made === trial.maxCalls ? null : `${made} of ${trial.maxCalls} calls are in the warehouse`,
    peakMinute <= trial.perMinute ? null : `${peakMinute} arrivals in 60 s`,
    overAllowance === 0 ? null : `${overAllowance} arrivals over the allowance`,
    tooSoon === 0 ? null : `${tooSoon} arrivals before their slot`,
    early === 0
      ? null
      : `${early} records fetched while a search was expected to find up to ${Math.round(result.bestSearch)} companies`,
  ];
  return failures.filter((failure) => failure !== null).map((failure) => `${nameOf(result)}: ${failure}`);
}

/** Additional connections must not cause worse choices. If responses are fast, every choice uses the same knowledge. */
function fewerThanWithOne(results: readonly TrialResult[]): string[] {
  return results.flatMap((result) => {
    const { trial, listed } = result;
    if (trial.responseMs > SHORT_RESPONSE_MS || trial.connections === 1) return [];
    const alone = results.find(
      (other) =>
        other.trial.connections === 1 &&
        other.trial.rule === trial.rule &&
        other.trial.perMinute === trial.perMinute &&
        other.trial.responseMs === trial.responseMs,
    );
    if (alone === undefined) return [`${nameOf(result)}: no run with 1 connection to compare with`];
    if (listed >= LEAST_SHARE * alone.listed) return [];
    const share = ((100 * listed) / alone.listed).toFixed(1);
    return [`${nameOf(result)}: ${listed} companies listed, ${share} % of ${alone.listed} with 1 connection`];
  });
}

function nameOf({ trial: { rule, perMinute, connections, responseMs } }: TrialResult): string {
  return `${rule}, ${perMinute}/min, ${connections} connections, ${responseMs} ms`;
}

const SHORT_RESPONSE_MS = 50;
const LEAST_SHARE = 0.98;
