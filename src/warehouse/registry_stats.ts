import type { Database } from 'better-sqlite3';
import { row, value } from '../sqlite/query.ts';

/** Reads `registry_stats`, which has one row for each observation of the registry's own statistics. */

export interface TotalSeen {
  readonly observedAt: string;
  readonly total: number | null;
  readonly callId: number;
}

/** Returns the last observation, or null if there is none. */
export function latestStatistics(db: Database): TotalSeen | null {
  const sql = `SELECT observed_at AS observedAt, total, _call_id AS callId FROM registry_stats
     ORDER BY _call_id DESC LIMIT 1`;
  return row<TotalSeen>(db, sql) ?? null;
}

/** Returns when (UTC) the registry count was last seen to change, or null if it has never changed. */
export function statisticsChangedAt(db: Database): string | null {
  const sql = `SELECT observed_at FROM (
       SELECT observed_at, _call_id, total, lag(total) OVER (ORDER BY _call_id) AS before FROM registry_stats
     )
     WHERE before IS NOT NULL AND total IS NOT before ORDER BY _call_id DESC LIMIT 1`;
  return value<string>(db, sql) ?? null;
}
