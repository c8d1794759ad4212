import type { Database } from 'better-sqlite3';

/** Returns a function whose result changes when another connection writes to the file. */
export function fileVersion(db: Database): () => number {
  const select = db.prepare<[], number>('PRAGMA data_version').pluck();
  return () => select.get() ?? 0;
}

/**
 * Returns a function that finds the id of the last call that listed a company. It returns null if no search has listed
 * the company.
 */
export function listingCalls(db: Database): (entityId: string) => number | null {
  const select = db
    .prepare<[string], number>('SELECT _call_id FROM search_result WHERE entity_id = ?')
    .pluck();
  return (entityId) => select.get(entityId) ?? null;
}

/** Counts records by when their last response arrived, reading only an index. */
export interface RecordAges {
  readonly oldestAt: string | null;
  readonly newestAt: string | null;
  readonly within1Day: number;
  readonly within7Days: number;
  readonly within30Days: number;
  readonly within90Days: number;
}

export function recordAges(db: Database, times: (days: number) => string): RecordAges {
  const since = db
    .prepare<[string], number>(
      'SELECT count(*) FROM _known WHERE asked_at IS NOT NULL AND gone_at IS NULL AND asked_at >= ?',
    )
    .pluck();
  const ends = db
    .prepare<[], { oldestAt: string | null; newestAt: string | null }>(
      `SELECT
         (SELECT min(asked_at) FROM _known WHERE asked_at IS NOT NULL AND gone_at IS NULL) AS oldestAt,
         (SELECT max(asked_at) FROM _known WHERE asked_at IS NOT NULL AND gone_at IS NULL) AS newestAt`,
    )
    .get();
  const within = (days: number) => since.get(times(days)) ?? 0;
  return {
    oldestAt: ends?.oldestAt ?? null,
    newestAt: ends?.newestAt ?? null,
    within1Day: within(1),
    within7Days: within(7),
    within30Days: within(30),
    within90Days: within(90),
  };
}

/** Returns a function that reads the time and call of the last statistics. It returns null if there are none. */
export function latestStatistics(db: Database): () => { observedAt: string; callId: number } | null {
  const select = db.prepare<[], { observedAt: string; callId: number }>(
    'SELECT observed_at AS observedAt, _call_id AS callId FROM registry_stats ORDER BY _call_id DESC LIMIT 1',
  );
  return () => select.get() ?? null;
}
