import { DAY_MS, HOUR_MS } from '../durations.ts';
import type { CallBucket, CallStretch } from '../warehouse/call_counts.ts';

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
