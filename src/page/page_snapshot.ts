import type { Database } from 'better-sqlite3';
import type { Config } from '../config/config.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { factsOf } from '../operations/read_facts.ts';
import { CallHistory } from '../report/call_history.ts';
import { type FactSettings, type Facts, type MirrorFacts, readTrends, type Trends } from '../report/facts.ts';
import { type AgeClass, ageClasses } from '../warehouse/ages.ts';
import { type CallBucket, callBuckets, firstCallMs } from '../warehouse/call_counts.ts';
import type { LockHolder } from '../warehouse/lock.ts';
import { timesIn } from './page_figures.ts';
import type { Range } from './periods.ts';

/** The configuration, and the settings of the facts that follow from it. */
export interface PageSettings extends FactSettings {
  readonly config: Config;
}

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

interface SnapshotRequest {
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** The time zone in which days are counted. */
  readonly zone: string;
  readonly range: Range | null;
}

/** Reads snapshots. Keeps what takes long to read in a large mirror. */
export class SnapshotReader {
  readonly db: Database;
  readonly #settings: PageSettings;
  readonly #history: CallHistory;
  #ages: readonly AgeClass[] = [];
  #agesUntilMs = Number.NEGATIVE_INFINITY;

  constructor(db: Database, settings: PageSettings) {
    this.db = db;
    this.#settings = settings;
    this.#history = new CallHistory((stretch) => callBuckets(db, stretch));
  }

  read({ nowMs, zone, range }: SnapshotRequest): PageSnapshot {
    const { db } = this;
    const settings = this.#settings;
    const formatTime = timesIn(zone, nowMs).zoned;
    const facts = factsOf(settings.config, db, { nowMs, settings, formatTime });
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
