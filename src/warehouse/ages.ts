import type { Database } from 'better-sqlite3';
import { row, rows } from '../sqlite/query.ts';
import { isoTimeOf } from './table.ts';

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

/** How many records the mirror has from the last days. A record's age counts from its last fetch. */
interface RecordAges {
  readonly oldestAt: string | null;
  readonly newestAt: string | null;
  readonly within1Day: number;
  readonly within7Days: number;
  readonly within30Days: number;
  readonly within90Days: number;
}

/** Reads the ages of all records in one scan. `timeMs` returns the time that many days ago. */
export function recordAges(db: Database, timeMs: (days: number) => number): RecordAges {
  const sql = `SELECT
       ${isoTimeOf('min(fetched_at)')} AS oldestAt,
       ${isoTimeOf('max(fetched_at)')} AS newestAt,
       count(*) FILTER (WHERE fetched_at >= ?) AS within1Day,
       count(*) FILTER (WHERE fetched_at >= ?) AS within7Days,
       count(*) FILTER (WHERE fetched_at >= ?) AS within30Days,
       count(*) FILTER (WHERE fetched_at >= ?) AS within90Days
     FROM _company WHERE fetched_at IS NOT NULL AND gone_at IS NULL`;
  return row<RecordAges>(db, sql, ...[1, 7, 30, 90].map(timeMs)) as RecordAges;
}
