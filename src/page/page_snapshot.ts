import type { Database } from 'better-sqlite3';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { type Facts, factsOf, type MirrorFacts, readTrends, type Trends } from '../report/facts.ts';
import { type CallBucket, callBuckets, firstCallMs } from '../warehouse/call_counts.ts';
import { type AgeClass, ageClasses } from '../warehouse/coverage_counts.ts';
import type { LockHolder } from '../warehouse/lock.ts';
import type { PageContext } from './frame.ts';
import type { Range } from './periods.ts';

/** The facts, and the data that several sections of the overview share, all read at the same time. */
export interface PageSnapshot extends Facts {
  readonly mirror: MirrorFacts;
  readonly trends: Trends;
  /** All calls, in intervals of one hour. Empty before the first call. */
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

/** Reads snapshots. Keeps what takes long to read in a large mirror. */
export class SnapshotReader {
  readonly db: Database;
  /** The calls in hours that have ended, and until when they were read. */
  #finished: readonly CallBucket[] = [];
  #finishedUntilMs = Number.NEGATIVE_INFINITY;
  #ages: readonly AgeClass[] = [];
  #agesUntilMs = Number.NEGATIVE_INFINITY;

  constructor(db: Database) {
    this.db = db;
  }

  read({ config, times }: PageContext, nowMs: number, range: Range | null): PageSnapshot {
    const { db } = this;
    const facts = factsOf(config, db, { nowMs, formatTime: times.zoned });
    const mirror = facts.mirror as MirrorFacts;
    const firstMs = firstCallMs(db);
    const hours = firstMs === null ? [] : this.#readHours(firstMs, nowMs);
    return {
      ...facts,
      mirror,
      trends: readTrends(db, nowMs, { withAges: false }),
      range,
      hours,
      firstCallMs: firstMs,
      ages: this.#readAges(nowMs),
      working: mirror.isHeld ? mirror.holder : null,
    };
  }

  /** Keeps the ages for 20 times as long as they took to count, because that scans all companies. */
  #readAges(nowMs: number): readonly AgeClass[] {
    if (nowMs < this.#agesUntilMs) return this.#ages;
    const startedMs = performance.now();
    const limits = AGE_CLASSES.map(({ ms }) => nowMs - ms);
    this.#ages = ageClasses(this.db, limits);
    this.#agesUntilMs = nowMs + 20 * (performance.now() - startedMs);
    return this.#ages;
  }

  #readHours(firstMs: number, nowMs: number): readonly CallBucket[] {
    const fromMs = Math.max(Math.floor(firstMs / HOUR_MS) * HOUR_MS, this.#finishedUntilMs);
    const latest = callBuckets(this.db, { fromMs, toMs: nowMs + DAY_MS, bucketMs: HOUR_MS });
    const all = [...this.#finished, ...latest];
    // Calls are loaded some time after they were sent, so an hour counts as finished one hour after its end.
    this.#finishedUntilMs = Math.max(this.#finishedUntilMs, (Math.floor(nowMs / HOUR_MS) - 1) * HOUR_MS);
    this.#finished = all.filter(({ atMs }) => atMs < this.#finishedUntilMs);
    return all;
  }
}
