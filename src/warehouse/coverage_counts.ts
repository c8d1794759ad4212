import type { Database } from 'better-sqlite3';
import type { QueryState } from '../knowledge.ts';
import { row, rows, value } from '../sqlite/statements.ts';
import { checkedRows, type WholeListing } from '../whole_listing.ts';
import { hasSeveralRows } from './meta.ts';
import { type QueryRow, queryState } from './query.ts';
import { QUERY } from './tables.ts';

/** How much of the registry the mirror has. */
export interface Coverage {
  /** The number of companies seen in a search or fetched. */
  readonly known: number;
  /** The number of companies with a fetched record. */
  readonly fetched: number;
  readonly gone: number;
  /** The last registry count; null if the registry reports none or none has been observed yet. */
  readonly registryTotal: number | null;
  readonly registryTotalAt: string | null;
  /**
   * The number of known companies that are not gone, divided by the registry count. It is capped at 1, because the
   * registry count can be outdated. Null if the registry count is unknown.
   */
  readonly knownShare: number | null;
  readonly fetchedShare: number | null;
}

export function readCoverage(db: Database): Coverage {
  const sql = `SELECT known, fetched, gone, registry_total AS registryTotal, registry_total_at AS registryTotalAt,
      min(known_share, 1.0) AS knownShare, min(fetched_share, 1.0) AS fetchedShare
    FROM coverage`;
  return row<Coverage>(db, sql) as Coverage;
}

/** Data from searches, from which `estimateCoverage` estimates the known share. */
interface SearchEvidence {
  /** The largest total that a search reported; null if no search reported one, or totals do not count companies. */
  readonly largestTotal: number | null;
  /** The listing of all companies, if the empty query was read to its end. */
  readonly listing: WholeListing | null;
}

export function readSearchEvidence(db: Database): SearchEvidence {
  const whole = QUERY.select<[]>(
    db,
    `WHERE "by" = 'name' AND text = '' AND status = 'complete' AND contradicted = 0`,
  ).get();
  const largestTotal = hasSeveralRows(db)
    ? null
    : (value<number | null>(db, 'SELECT max(total) FROM _query') ?? null);
  return { largestTotal, listing: whole === undefined ? null : listingOf(db, whole) };
}

function listingOf(db: Database, whole: QueryRow): WholeListing {
  const { rows: count, total, listedAt } = whole;
  const checked = checkedRows(statesSince(db, listedAt), queryState(whole));
  return { rows: count, total, checkedRows: checked, hasSeveralRows: hasSeveralRows(db) };
}

function* statesSince(db: Database, listedAt: string): Generator<QueryState> {
  for (const query of QUERY.select<[string]>(db, 'WHERE listed_at >= ?').iterate(listedAt))
    yield queryState(query);
}

/** An observation of the registry's own statistics. */
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
