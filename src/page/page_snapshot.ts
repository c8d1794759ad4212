import type { Database } from 'better-sqlite3';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { lostCalls } from '../operations/ledger_loss.ts';
import { coarser, openCallHistory, stretchFor } from '../report/call_history.ts';
import { type Facts, type MirrorFacts, readFacts, readTrends, type Trends } from '../report/facts.ts';
import type { LockHolder } from '../warehouse/lock.ts';
import {
  type AgeClass,
  ageClasses,
  type CallBucket,
  callBuckets,
  callSpan,
} from '../warehouse/page_queries.ts';
import type { Range } from './chart/periods.ts';
import type { LedgerReader } from './ledger_reader.ts';
import { timesIn } from './page_figures.ts';
import type { PageSettings } from './page_settings.ts';

/** The facts, and the data that several sections of the overview share, all read at the same time. */
export interface PageSnapshot extends Facts {
  readonly mirror: MirrorFacts;
  readonly trends: Trends;
  /** All calls, in intervals of `stretchMs`. Empty before the first call. */
  readonly calls: readonly CallBucket[];
  readonly stretchMs: number;
  /** The same calls in intervals of one hour. */
  readonly hours: readonly CallBucket[];
  readonly firstCallMs: number | null;
  /** The period that the charts show, or null if each chart uses its default. */
  readonly range: Range | null;
  /** The number of records and list items in each age class of `AGE_CLASSES`. */
  readonly ages: readonly AgeClass[];
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
      AGE_CLASSES.map(({ ms }) => atMs - ms),
    ),
  );

  return ({ nowMs, zone, range }) => {
    const { firstMs = null } = readSpan() ?? {};
    const stretchMs = stretchFor(nowMs - (firstMs ?? nowMs));
    const hours = firstMs === null ? [] : history.hours(firstMs, nowMs);
    const facts = ledger.read((opened) =>
      readFacts({
        ...{ nowMs, db, ledger: opened, settings, formatTime: timesIn(zone, nowMs).zoned },
        lostCalls: lostCalls({ ...settings, db, ledger: opened }, nowMs),
      }),
    );
    const mirror = facts.mirror as MirrorFacts;
    return {
      ...facts,
      mirror,
      trends: readTrends(db, nowMs, { zone, withAges: false }),
      range,
      calls:
        stretchMs >= HOUR_MS
          ? coarser(hours, stretchMs)
          : readBuckets({ fromMs: firstMs ?? nowMs, toMs: nowMs + HOUR_MS, bucketMs: stretchMs }),
      stretchMs,
      hours,
      firstCallMs: firstMs,
      ages: readAges(nowMs),
      working: mirror.isHeld ? mirror.holder : null,
    };
  };
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
