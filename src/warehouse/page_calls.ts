import type { Database } from 'better-sqlite3';

/** Calls of one kind and outcome within one stretch of time. */
export interface CallBucket {
  /** Where the stretch begins, epoch milliseconds. */
  readonly atMs: number;
  readonly kind: string;
  readonly outcome: string;
  readonly calls: number;
  /** Companies or records that were new. */
  readonly fresh: number;
  readonly changed: number;
}

export interface CallStretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucketMs: number;
}

/** Calls by stretches of equal length, from the ids alone: a call's id grows with the time of its sending. */
export function callBuckets(db: Database): (stretch: CallStretch) => CallBucket[] {
  const select = db.prepare<[number, number, number, number], CallBucket>(
    `SELECT (call_id / CAST(? AS INTEGER)) * ? AS atMs, kind, outcome, count(*) AS calls, sum(new) AS fresh,
            sum(changed) AS changed
     FROM _call WHERE call_id >= ? AND call_id < ? GROUP BY 1, 2, 3 ORDER BY 1`,
  );
  return ({ fromMs, toMs, bucketMs }) =>
    select.all(bucketMs * IDS_PER_MS, bucketMs, fromMs * IDS_PER_MS, toMs * IDS_PER_MS);
}

/** When the first and the last call were sent; null: none was. */
export function callSpan(db: Database): () => { readonly firstMs: number; readonly lastMs: number } | null {
  const select = db.prepare<[], { first: number | null; last: number | null }>(
    'SELECT (SELECT min(call_id) FROM _call) AS first, (SELECT max(call_id) FROM _call) AS last',
  );
  return () => {
    const { first, last } = select.get() ?? { first: null, last: null };
    if (first === null || last === null) return null;
    return { firstMs: Math.floor(first / IDS_PER_MS), lastMs: Math.floor(last / IDS_PER_MS) };
  };
}

// As in fetch/call_ids.ts.
const IDS_PER_MS = 1024;
