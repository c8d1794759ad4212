import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts';
import type { CallBucket, CallStretch } from '../warehouse/call_counts.ts';

/** Calls over time, in intervals of equal length. The functions are pure, except that finished hours are cached. */

interface Grown {
  readonly atMs: number;
  readonly known: number;
  readonly fetched: number;
}

/** Returns the mirror's growth over time. */
export function growth(buckets: readonly CallBucket[], now: Grown, bucketMs: number): Grown[] {
  return curveUntil(now, byStretch(buckets), bucketMs, ({ known, fetched }, { found, records }) => ({
    known: Math.max(0, known - found),
    fetched: Math.max(0, fetched - records),
  }));
}

/**
 * Returns values over time. They are computed backwards from the current values, so that the curve ends at them even if
 * old calls are missing. `undone` returns the values before an interval. Between intervals with calls, they are constant.
 */
export function curveUntil<Point extends { readonly atMs: number }>(
  now: Point,
  stretches: readonly Stretch[],
  stretchMs: number,
  undone: (after: Point, stretch: Stretch) => Omit<Point, 'atMs'>,
): Point[] {
  const curve = [now];
  let point = now;
  for (const stretch of stretches.toReversed()) {
    const endMs = Math.min(stretch.atMs + stretchMs, now.atMs);
    // The next interval has already added this point, unless an empty interval follows this one.
    if (point.atMs !== endMs) curve.push({ ...point, atMs: endMs });
    point = { ...point, ...undone(point, stretch), atMs: stretch.atMs };
    curve.push(point);
  }
  return curve.reverse();
}

interface Stretch {
  readonly atMs: number;
  /** The number of calls that were sent. */
  readonly calls: number;
  readonly searches: number;
  /** The number of companies that searches found for the first time. */
  readonly found: number;
  /** The number of records that were fetched for the first time. */
  readonly records: number;
  readonly byGroup: Readonly<Record<OutcomeGroup, number>>;
}

/** Groups of outcomes, few enough to tell apart on the status page. */
export const OUTCOME_GROUPS = ['answered', 'rejected', 'failed', 'unsent'] as const;
type OutcomeGroup = (typeof OUTCOME_GROUPS)[number];

export function byStretch(buckets: readonly CallBucket[]): Stretch[] {
  const stretches = new Map<number, CallBucket[]>();
  for (const bucket of buckets) stretches.set(bucket.atMs, [...(stretches.get(bucket.atMs) ?? []), bucket]);
  return [...stretches].sort(([a], [b]) => a - b).map(([atMs, own]) => stretchOf(atMs, own));
}

/** Regroups calls into longer intervals of `bucketMs`. */
export function coarser(buckets: readonly CallBucket[], bucketMs: number): CallBucket[] {
  return buckets.map((bucket) => ({ ...bucket, atMs: Math.floor(bucket.atMs / bucketMs) * bucketMs }));
}

/** Returns the shortest interval length, in milliseconds, that divides `lengthMs` into at most 120 intervals. */
export function stretchFor(lengthMs: number): number {
  return STRETCHES_MS.find((stretchMs) => lengthMs / stretchMs <= MOST_STRETCHES) ?? LONGEST_MS;
}

/** The hourly call history. Finished hours are read once and cached. Unfinished hours are read each time. */
export class CallHistory {
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
    calls: sum(({ outcome }) => outcome !== 'unsent', calls),
    searches: sum(({ kind, outcome }) => kind === 'search' && outcome === 'ok', calls),
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
    case 'unsent':
      return 'unsent';
    default:
      return 'failed';
  }
}

const LONGEST_MS = 28 * DAY_MS;
const STRETCHES_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS, 7 * DAY_MS];
const MOST_STRETCHES = 120;
