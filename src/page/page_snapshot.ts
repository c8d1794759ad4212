import type { Database } from 'better-sqlite3';
import type { Ledger, LedgerState } from '../allowance/ledger.ts';
import { isoTime } from '../clock.ts';
import { coarser, openCallHistory, stretchFor } from '../report/call_history.ts';
import { readMirror } from '../report/mirror_snapshot.ts';
import type { Coverage } from '../warehouse/coverage_counts.ts';
import type { LockHolder } from '../warehouse/lock.ts';
import {
  type AgeClass,
  ageClasses,
  type CallBucket,
  callBuckets,
  callSpan,
} from '../warehouse/page_queries.ts';
import { type RunRow, recentRuns } from '../warehouse/run.ts';

/** The data that several sections of the overview show, as of one time. */
export interface PageSnapshot {
  readonly nowMs: number;
  readonly coverage: Coverage;
  /** Calls since the first one, in intervals of `stretchMs`; empty before the first call. */
  readonly calls: readonly CallBucket[];
  readonly stretchMs: number;
  /** The same calls by the hour. */
  readonly hours: readonly CallBucket[];
  readonly firstCallMs: number | null;
  readonly ledger: LedgerState;
  /** Counts by age, in the classes of `AGE_CLASSES`. */
  readonly ages: readonly AgeClass[];
  /** The latest run first. */
  readonly runs: readonly RunRow[];
  /** The holder of the lock, if its heartbeat is recent. */
  readonly working: LockHolder | null;
}

/** Upper limits of the age classes; one more class, for older entries, has no limit. */
export const AGE_CLASSES = [
  { label: '1 h', ms: 3_600_000 },
  { label: '6 h', ms: 6 * 3_600_000 },
  { label: '1 d', ms: 86_400_000 },
  { label: '3 d', ms: 3 * 86_400_000 },
  { label: '1 w', ms: 7 * 86_400_000 },
  { label: '2 w', ms: 14 * 86_400_000 },
  { label: '1 mo', ms: 30 * 86_400_000 },
  { label: '3 mo', ms: 90 * 86_400_000 },
  { label: '6 mo', ms: 180 * 86_400_000 },
  { label: '1 y', ms: 365 * 86_400_000 },
] as const;

/** Prepares the queries of the snapshot; the result reads it as of a time (epoch milliseconds). */
export function openPageSnapshot(db: Database, ledger: Ledger): (nowMs: number) => PageSnapshot {
  const readBuckets = callBuckets(db);
  const history = openCallHistory(readBuckets);
  const readSpan = callSpan(db);
  const readAges = cachedByCost((atMs) =>
    ageClasses(
      db,
      AGE_CLASSES.map(({ ms }) => isoTime(atMs - ms)),
    ),
  );

  return (nowMs) => {
    const { firstMs = null } = readSpan() ?? {};
    const stretchMs = stretchFor(nowMs - (firstMs ?? nowMs));
    const hours = firstMs === null ? [] : history.hours(firstMs, nowMs);
    const { coverage, holder, isHeld } = readMirror(db, nowMs);
    return {
      nowMs,
      coverage,
      calls:
        stretchMs >= HOUR_MS
          ? coarser(hours, stretchMs)
          : readBuckets({ fromMs: firstMs ?? nowMs, toMs: nowMs + HOUR_MS, bucketMs: stretchMs }),
      stretchMs,
      hours,
      firstCallMs: firstMs,
      ledger: ledger.state(nowMs),
      ages: readAges(nowMs),
      runs: recentRuns(db, MAX_RUNS),
      working: isHeld ? holder : null,
    };
  };
}

/** Repeats a scan of all companies so rarely that it takes at most a twentieth of the time. */
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

const HOUR_MS = 3_600_000;
const MAX_RUNS = 12;
