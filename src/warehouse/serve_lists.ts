import type { Database } from 'better-sqlite3';
import { isoTimeOf } from './table.ts';

/** Returns a function whose result changes when another connection writes to the file. */
export function fileVersion(db: Database): () => number {
  const select = db.prepare<[], number>('PRAGMA data_version').pluck();
  return () => select.get() ?? 0;
}

/**
 * Returns a function whose result changes when companies are added or removed, or when a name may have changed. The
 * function never reads a whole table.
 */
export function namesMark(db: Database): () => string {
  const mark = db
    .prepare<[], string>(
      `SELECT concat_ws(' ',
         (SELECT max(known_id) FROM _company),
         (SELECT n FROM _tally WHERE what = 'known'),
         (SELECT n FROM _tally WHERE what = 'gone'),
         (SELECT sum(changed) + sum(new) FROM _run),
         (SELECT schema_version FROM pragma_schema_version))`,
    )
    .pluck();
  return () => mark.get() ?? '';
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

/** How many records the mirror has from the last days. A record's age counts from its last fetch. */
export interface RecordAges {
  readonly oldestAt: string | null;
  readonly newestAt: string | null;
  readonly within1Day: number;
  readonly within7Days: number;
  readonly within30Days: number;
  readonly within90Days: number;
}

/** Reads the ages of all records in one scan. `timeMs` returns the time that many days ago. */
export function recordAges(db: Database, timeMs: (days: number) => number): RecordAges {
  const select = db.prepare<number[], RecordAges>(
    `SELECT
       ${isoTimeOf('min(fetched_at)')} AS oldestAt,
       ${isoTimeOf('max(fetched_at)')} AS newestAt,
       count(*) FILTER (WHERE fetched_at >= ?) AS within1Day,
       count(*) FILTER (WHERE fetched_at >= ?) AS within7Days,
       count(*) FILTER (WHERE fetched_at >= ?) AS within30Days,
       count(*) FILTER (WHERE fetched_at >= ?) AS within90Days
     FROM _company WHERE fetched_at IS NOT NULL AND gone_at IS NULL`,
  );
  return select.get(timeMs(1), timeMs(7), timeMs(30), timeMs(90)) as RecordAges;
}

/** Returns a function that reads the time and call of the last statistics. It returns null if there are none. */
export function latestStatistics(db: Database): () => { observedAt: string; callId: number } | null {
  const select = db.prepare<[], { observedAt: string; callId: number }>(
    'SELECT observed_at AS observedAt, _call_id AS callId FROM registry_stats ORDER BY _call_id DESC LIMIT 1',
  );
  return () => select.get() ?? null;
}
