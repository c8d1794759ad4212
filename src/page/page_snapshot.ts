import type { Database } from 'better-sqlite3';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { type Facts, factsOf, type MirrorFacts, readTrends, type Trends } from '../report/facts.ts';
import { type CallBucket, type CallStretch, callBuckets, firstCallMs } from '../warehouse/call_counts.ts';
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
  readonly #history: CallHistory;
  #ages: readonly AgeClass[] = [];
  #agesUntilMs = Number.NEGATIVE_INFINITY;

  constructor(db: Database) {
    this.db = db;
    this.#history = new CallHistory((stretch) => callBuckets(db, stretch));
  }

  read({ config, times }: PageContext, nowMs: number, range: Range | null): PageSnapshot {
    const { db } = this;
    const facts = factsOf(config, db, { nowMs, formatTime: times.zoned });
    const mirror = facts.mirror as MirrorFacts;
    const firstMs = firstCallMs(db);
    const hours = firstMs === null ? [] : this.#history.hours(firstMs, nowMs);
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
}

/** Calls over time, in intervals of equal length. The functions are pure, except that finished hours are cached. */

interface Stretch {
  readonly atMs: number;
  /** The number of calls that were sent. */
  readonly calls: number;
  /** The number of companies that searches found for the first time. */
  readonly found: number;
  /** The number of records that were fetched for the first time. */
  readonly records: number;
  readonly byGroup: Readonly<Record<OutcomeGroup, number>>;
}

/** Groups of outcomes, few enough to tell apart on the status page. */
export const OUTCOME_GROUPS = ['answered', 'rejected', 'failed'] as const;
type OutcomeGroup = (typeof OUTCOME_GROUPS)[number];

export function byStretch(buckets: readonly CallBucket[]): Stretch[] {
  const stretches = new Map<number, CallBucket[]>();
  for (const bucket of buckets) stretches.set(bucket.atMs, [...(stretches.get(bucket.atMs) ?? []), bucket]);
  return [...stretches].sort(([a], [b]) => a - b).map(([atMs, own]) => stretchOf(atMs, own));
}

/** The hourly call history. Finished hours are read once and cached. Unfinished hours are read each time. */
class CallHistory {
  readonly #read: (stretch: CallStretch) => CallBucket[];
  #finished: CallBucket[] = [];
  #finishedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(read: (stretch: CallStretch) => CallBucket[]) {
    this.#read = read;
  }

  hours(firstMs: number, nowMs: number): CallBucket[] {
    const beginMs = Math.max(Math.floor(firstMs / HOUR_MS) * HOUR_MS, this.#finishedUntilMs);
    const latest = this.#read({ fromMs: beginMs, toMs: nowMs + DAY_MS, bucketMs: HOUR_MS });
    const all = [...this.#finished, ...latest];
    // Calls are loaded some time after they were sent, so an hour counts as finished one hour after its end.
    this.#finishedUntilMs = Math.max(this.#finishedUntilMs, (Math.floor(nowMs / HOUR_MS) - 1) * HOUR_MS);
    this.#finished = all.filter(({ atMs }) => atMs < this.#finishedUntilMs);
    return all;
  }
}

function stretchOf(atMs: number, buckets: readonly CallBucket[]): Stretch {
  const sum = (fits: (bucket: CallBucket) => boolean, of: (bucket: CallBucket) => number) =>
    buckets.filter(fits).reduce((total, bucket) => total + of(bucket), 0);
  const calls = ({ calls: sent }: CallBucket) => sent;
  const newRows = ({ fresh }: CallBucket) => fresh;
  const byGroup = Object.fromEntries(
    OUTCOME_GROUPS.map((group) => [group, sum(({ outcome }) => groupOf(outcome) === group, calls)]),
  ) as Record<OutcomeGroup, number>;
  return {
    atMs,
    calls: buckets.reduce((total, bucket) => total + bucket.calls, 0),
    found: sum(({ kind }) => kind === 'search', newRows),
    records: sum(({ kind }) => kind === 'entity', newRows),
    byGroup,
  };
}

function groupOf(outcome: string): OutcomeGroup {
  switch (outcome) {
    case 'ok':
    case 'received':
    case 'absent':
    case 'gone':
      return 'answered';
    case 'throttled':
    case 'exhausted':
      return 'rejected';
    default:
      return 'failed';
  }
}
