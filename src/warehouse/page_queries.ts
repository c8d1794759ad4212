import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { isoTimeOf, type RowOf } from './table.ts';
import { CHANGE } from './tables.ts';

/** The calls with the same kind and outcome in one period. */
export interface CallBucket {
  /** The start of the period in epoch milliseconds. */
  readonly atMs: number;
  readonly kind: string;
  readonly outcome: string;
  readonly calls: number;
  /** How many new companies or records these calls returned. */
  readonly fresh: number;
  readonly changed: number;
}

export interface CallStretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucketMs: number;
}

/**
 * Counts the calls in periods of equal length. The query finds a period's calls by id, because ids are derived from the
 * send time.
 */
export function callBuckets(db: Database): (stretch: CallStretch) => CallBucket[] {
  const select = db.prepare<[number, number, number, number], CallBucket>(
    `SELECT (call_id / CAST(? AS INTEGER)) * ? AS atMs, kind, outcome, count(*) AS calls, sum(new) AS fresh,
            sum(changed) AS changed
     FROM _call WHERE call_id >= ? AND call_id < ? GROUP BY 1, 2, 3 ORDER BY 1`,
  );
  return ({ fromMs, toMs, bucketMs }) =>
    select.all(bucketMs * IDS_PER_MS, bucketMs, fromMs * IDS_PER_MS, toMs * IDS_PER_MS);
}

/** Returns when the first and last calls were sent (epoch milliseconds), or null if there are none. */
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

/** The number of call ids per millisecond. It must be the same as in fetch/call_ids.ts. */
export const IDS_PER_MS = 1024;

export interface CompanyRow {
  readonly entityId: string;
  readonly name: string | null;
  readonly state: 'listed' | 'fetched' | 'gone';
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  readonly fetchedAt: string | null;
  readonly changedAt: string | null;
  readonly goneAt: string | null;
}

export interface VersionSeen {
  readonly callId: number;
  readonly observedFrom: string;
  readonly isTombstone: 0 | 1;
}

const CHANGE_SHOWN = CHANGE.properties.filter((one) => one !== 'columnName');

/** A changed field. `before` and `after` are stored values, which are scalars or, for lists and objects, JSON text. */
export type FieldChange = Omit<RowOf<typeof CHANGE>, 'columnName'>;

export interface NamedChange extends FieldChange {
  readonly name: string | null;
}

/** The status page's queries about companies. */
export function companyPages(db: Database) {
  const company = db.prepare<[string], CompanyRow>(
    `SELECT entity_id AS entityId, o.name, state, o.first_seen_at AS firstSeenAt, o.last_seen_at AS lastSeenAt,
            o.fetched_at AS fetchedAt, ${isoTimeOf('changed_at')} AS changedAt, ${isoTimeOf('gone_at')} AS goneAt
     FROM entity_overview o JOIN _company USING (entity_id) WHERE entity_id = ?`,
  );
  const versions = db.prepare<[string, number], VersionSeen>(
    `SELECT call_id AS callId, sent_at AS observedFrom, is_tombstone AS isTombstone
     FROM _record_version JOIN _call USING (call_id) WHERE entity_id = ? ORDER BY call_id DESC LIMIT ?`,
  );
  const changes = db
    .prepare<[string, number], FieldChange>(
      `SELECT ${CHANGE_COLUMNS} FROM entity_change c WHERE entity_id = ? ORDER BY change_id DESC LIMIT ?`,
    )
    .safeIntegers();
  return {
    company: (entityId: string): CompanyRow | null => company.get(entityId) ?? null,
    /** Returns a company's record versions, newest first. */
    versions: (entityId: string, most: number): VersionSeen[] => versions.all(entityId, most),
    /** Returns one company's changes, newest first. */
    changes: (entityId: string, most: number): FieldChange[] => changes.all(entityId, most).map(withNumbers),
  };
}

export const CHANGE_COLUMNS = CHANGE.selected('c', CHANGE_SHOWN);

/** Converts a row's ids to numbers. `before` and `after` remain bigint, so they keep every digit. */
export function withNumbers<T extends FieldChange>(row: T): T {
  return { ...row, changeId: Number(row.changeId), callId: Number(row.callId) };
}

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
  const rows = db
    .prepare<[Record<string, number>], { what: 'records' | 'summaries'; class: number; companies: number }>(
      `SELECT 'records' AS what, ${classOf('fetched_at')} AS class, count(*) AS companies
       FROM _company WHERE gone_at IS NULL AND fetched_at IS NOT NULL GROUP BY class
       UNION ALL
       SELECT 'summaries', ${classOf('listed_at')} AS class, count(*)
       FROM _company WHERE gone_at IS NULL AND listed_at IS NOT NULL GROUP BY class`,
    )
    .all(Object.fromEntries(timesMs.map((timeMs, at) => [`t${at}`, timeMs])));
  return Array.from({ length: timesMs.length + 1 }, (_, at) => {
    const counted = (what: string) =>
      rows.find((row) => row.what === what && row.class === at)?.companies ?? 0;
    return { records: counted('records'), summaries: counted('summaries') };
  });
}

export interface TotalSeen {
  readonly observedAt: string;
  readonly total: number | null;
}

/** Returns the observed registry counts, newest first. */
export function totalsSeen(db: Database, most: number): TotalSeen[] {
  return db
    .prepare<[number], TotalSeen>(
      'SELECT observed_at AS observedAt, total FROM registry_stats ORDER BY _call_id DESC LIMIT ?',
    )
    .all(most);
}

/** The combined results of all runs that started on the same day (UTC). */
export interface DayResults {
  /** The UTC date, such as `2027-03-31`. */
  readonly day: string;
  readonly new: number;
  readonly changed: number;
  readonly gone: number;
}

export function resultsByDay(db: Database): (sinceMs: number) => DayResults[] {
  const select = db.prepare<[string], DayResults>(
    `SELECT substr(started_at, 1, 10) AS day, sum(new) AS new, sum(changed) AS changed, sum(gone) AS gone
     FROM _run WHERE started_at >= ? GROUP BY 1 ORDER BY 1`,
  );
  return (sinceMs) => select.all(isoTime(Math.max(0, sinceMs)));
}

/** The runs that started on the same day (UTC) and ended in the same way. `ended` is null if they were killed. */
export interface DayRuns {
  readonly day: string;
  readonly ended: string | null;
  readonly runs: number;
}

export function runsByDay(db: Database): (sinceMs: number) => DayRuns[] {
  const select = db.prepare<[string], DayRuns>(
    `SELECT substr(started_at, 1, 10) AS day, ended, count(*) AS runs
     FROM _run WHERE started_at >= ? GROUP BY 1, 2 ORDER BY 1`,
  );
  return (sinceMs) => select.all(isoTime(Math.max(0, sinceMs)));
}
