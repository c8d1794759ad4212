import type { Database } from 'better-sqlite3';
import { row } from '../sqlite/statements.ts';

/** Reads `registry_stats`, which has one row for each observation of the registry's own statistics. */

interface TotalSeen {
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

/** Returns the first observation of the current registry count, or undefined if there is none. */
export function currentCountSeen(
  db: Database,
): { readonly callId: number; readonly observedAt: string; readonly isChange: 0 | 1 } | undefined {
  return row(
    db,
    `WITH latest AS (SELECT total FROM registry_stats ORDER BY _call_id DESC LIMIT 1),
       earlier AS (
         SELECT max(_call_id) AS id FROM registry_stats WHERE total IS NOT (SELECT total FROM latest)
       )
     SELECT _call_id AS callId, observed_at AS observedAt, id IS NOT NULL AS isChange
     FROM registry_stats, earlier WHERE _call_id > coalesce(id, 0) ORDER BY _call_id LIMIT 1`,
  );
}
