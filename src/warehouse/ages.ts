import type { Database } from 'better-sqlite3';
import { row, rows } from '../sqlite/statements.ts';

/** The number of records and summaries in one age class. */
export interface AgeClass {
  readonly records: number;
  readonly summaries: number;
}

/**
 * Counts records and summaries by age class. `timesMs` are the boundaries between the classes, latest first. Everything
 * older belongs to the last class.
 */
export function ageClasses(db: Database, timesMs: readonly number[]): AgeClass[] {
  const classOf = (column: string) =>
    `CASE WHEN ${column} IS NULL THEN NULL ${timesMs.map((_, at) => `WHEN ${column} >= @t${at} THEN ${at}`).join(' ')} ELSE ${timesMs.length} END`;
  const counts = rows<{ what: 'records' | 'summaries'; class: number; companies: number }>(
    db,
    `SELECT 'records' AS what, ${classOf('fetched_at')} AS class, count(*) AS companies
       FROM _company WHERE gone_at IS NULL AND fetched_at IS NOT NULL GROUP BY class
       UNION ALL
       SELECT 'summaries', ${classOf('listed_at')} AS class, count(*)
       FROM _company WHERE gone_at IS NULL AND listed_at IS NOT NULL GROUP BY class`,
    Object.fromEntries(timesMs.map((timeMs, at) => [`t${at}`, timeMs])),
  );
  return Array.from({ length: timesMs.length + 1 }, (_, at) => {
    const counted = (what: string) =>
      counts.find((row) => row.what === what && row.class === at)?.companies ?? 0;
    return { records: counted('records'), summaries: counted('summaries') };
  });
}

/** The row for records in the view `freshness`. A record's age counts from its last fetch. */
type RecordFreshness = {
  readonly oldest_at: string | null;
  readonly newest_at: string | null;
} & Readonly<Record<(typeof WITHIN)[number], number>>;

export function recordFreshness(db: Database): RecordFreshness {
  const sql = `SELECT oldest_at, newest_at, ${WITHIN.map((one) => `coalesce(${one}, 0) AS ${one}`).join(', ')}
     FROM (SELECT 'record' AS what) LEFT JOIN freshness USING (what)`;
  return row<RecordFreshness>(db, sql) as RecordFreshness;
}

const WITHIN = ['within_1_day', 'within_7_days', 'within_30_days', 'within_90_days'] as const;
