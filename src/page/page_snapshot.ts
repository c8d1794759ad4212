import type { Database } from 'better-sqlite3';
import { DateTime } from 'luxon';
import type { LedgerState } from '../allowance/ledger.ts';
import { isoTime } from '../clock.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { lostCalls } from '../operations/ledger_loss.ts';
import { coarser, openCallHistory, stretchFor } from '../report/call_history.ts';
import { type CompletionForecast, readCompletion } from '../report/completion_forecast.ts';
import { type CoverageEstimate, estimateCoverage } from '../report/coverage_estimate.ts';
import type { Health } from '../report/health.ts';
import { readHealth, readMirror } from '../report/mirror_snapshot.ts';
import { type Coverage, readSearchEvidence } from '../warehouse/coverage_counts.ts';
import type { LockHolder } from '../warehouse/lock.ts';
import {
  type AgeClass,
  ageClasses,
  type CallBucket,
  callBuckets,
  callSpan,
  type DayResults,
  resultsByDay,
} from '../warehouse/page_queries.ts';
import type { RunRow } from '../warehouse/run.ts';
import type { Range } from './chart/periods.ts';
import type { LedgerReader } from './ledger_reader.ts';
import { timesIn } from './page_figures.ts';
import type { PageSettings } from './page_settings.ts';

/** The data that several sections of the overview share, all read at the same time. */
export interface PageSnapshot {
  readonly nowMs: number;
  readonly coverage: Coverage;
  /** All calls, in intervals of `stretchMs`. Empty before the first call. */
  readonly calls: readonly CallBucket[];
  readonly stretchMs: number;
  /** The same calls in intervals of one hour. */
  readonly hours: readonly CallBucket[];
  readonly firstCallMs: number | null;
  readonly health: Health;
  readonly completion: CompletionForecast;
  readonly coverageEstimate: CoverageEstimate;
  readonly ledger: LedgerState;
  /** Calls since midnight in `zone`. */
  readonly callsToday: number;
  /** The results from the last seven days. */
  readonly week: Omit<DayResults, 'day'>;
  /** The period that the charts show, or null if each chart uses its default. */
  readonly range: Range | null;
  /** The number of records and list items in each age class of `AGE_CLASSES`. */
  readonly ages: readonly AgeClass[];
  /** Most recent run first. */
  readonly runs: readonly RunRow[];
  /** The run that holds the lock, if its heartbeat is recent. */
  readonly working: LockHolder | null;
}

/** The age classes' upper limits. Older entries belong to one more class. */
export const AGE_CLASSES = [
  { label: '1 h', ms: HOUR_MS },
  { label: '6 h', ms: 6 * HOUR_MS },
  { label: '1 d', ms: DAY_MS },
  { label: '3 d', ms: 3 * DAY_MS },
  { label: '1 w', ms: 7 * DAY_MS },
  { label: '2 w', ms: 14 * DAY_MS },
  { label: '1 mo', ms: 30 * DAY_MS },
  { label: '3 mo', ms: 90 * DAY_MS },
  { label: '6 mo', ms: 180 * DAY_MS },
  { label: '1 y', ms: 365 * DAY_MS },
] as const;

export interface SnapshotRequest {
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** The time zone in which days are counted. */
  readonly zone: string;
  readonly range: Range | null;
}

/** Prepares the snapshot's queries. The returned function reads a snapshot for a given time. */
export function openPageSnapshot(
  db: Database,
  ledger: LedgerReader,
  settings: PageSettings,
): (request: SnapshotRequest) => PageSnapshot {
  const readBuckets = callBuckets(db);
  const history = openCallHistory(readBuckets);
  const readSpan = callSpan(db);
  const readAges = cachedByCost((atMs) =>
    ageClasses(
      db,
      AGE_CLASSES.map(({ ms }) => isoTime(atMs - ms)),
    ),
  );

  const readResults = resultsByDay(db);

  return ({ nowMs, zone, range }) => {
    const { firstMs = null } = readSpan() ?? {};
    const stretchMs = stretchFor(nowMs - (firstMs ?? nowMs));
    const hours = firstMs === null ? [] : history.hours(firstMs, nowMs);
    const mirror = readMirror(db, nowMs);
    const { coverage, holder, isHeld, runs } = mirror;
    const { allowance, lost } = ledger.read((opened) => ({
      allowance: opened.state(nowMs),
      lost: lostCalls({ ...settings, db, ledger: opened }, nowMs),
    }));
    const times = timesIn(zone, nowMs);
    const midnightMs = DateTime.fromMillis(nowMs, { zone }).startOf('day').toMillis();
    const today = readBuckets({ fromMs: midnightMs, toMs: nowMs + HOUR_MS, bucketMs: DAY_MS });
    const week = readResults(nowMs - 7 * DAY_MS);
    const evidence = {
      ...{ known: coverage.known - coverage.gone, registryTotal: coverage.registryTotal },
      ...readSearchEvidence(db),
    };
    return {
      ...{ nowMs, range, coverage, runs },
      health: readHealth({
        ...{ nowMs, mirror: { db, snapshot: mirror }, allowance, lostCalls: lost, settings },
        formatTime: times.zoned,
      }),
      completion: readCompletion(db, { nowMs, allowance: settings.allowance, ledger: allowance }),
      coverageEstimate: estimateCoverage(evidence),
      callsToday: sumOf(today.filter(({ outcome }) => outcome !== 'unsent').map(({ calls }) => calls)),
      week: {
        new: sumOf(week.map((day) => day.new)),
        changed: sumOf(week.map((day) => day.changed)),
        gone: sumOf(week.map((day) => day.gone)),
      },
      calls:
        stretchMs >= HOUR_MS
          ? coarser(hours, stretchMs)
          : readBuckets({ fromMs: firstMs ?? nowMs, toMs: nowMs + HOUR_MS, bucketMs: stretchMs }),
      stretchMs,
      hours,
      firstCallMs: firstMs,
      ledger: allowance,
      ages: readAges(nowMs),
      working: isHeld ? holder : null,
    };
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

/** Caches a result for 20 times as long as its computation took, because the computation scans all companies. */
function cachedByCost<T>(compute: (nowMs: number) => T): (nowMs: number) => T {
  let cached: { readonly value: T; readonly untilMs: number } | null = null;
  return (nowMs) => {
    if (cached !== null && nowMs < cached.untilMs) return cached.value;
    const startedMs = performance.now();
    const value = compute(nowMs);
    cached = { value, untilMs: nowMs + 20 * (performance.now() - startedMs) };
    return value;
  };
}
