import type { Database } from 'better-sqlite3';

/** Records and list items whose age lies within one class. */
export interface AgeClass {
  readonly records: number;
  readonly summaries: number;
}

/**
 * How many records and list items were last seen before each of the given times (the latest first) and not
 * before the one after it; the last class holds all that are older. One pass over the known companies.
 */
export function ageClasses(db: Database, times: readonly string[]): AgeClass[] {
  const classOf = (column: string) =>
    `CASE WHEN ${column} IS NULL THEN NULL ${times.map((_, at) => `WHEN ${column} >= @t${at} THEN ${at}`).join(' ')} ELSE ${times.length} END`;
  const rows = db
    .prepare<[Record<string, string>], { what: 'records' | 'summaries'; class: number; companies: number }>(
      `SELECT 'records' AS what, ${classOf('fetched_at')} AS class, count(*) AS companies
       FROM _known WHERE gone_at IS NULL AND fetched_at IS NOT NULL GROUP BY class
       UNION ALL
       SELECT 'summaries', ${classOf('listed_at')} AS class, count(*)
       FROM _known WHERE gone_at IS NULL AND listed_at IS NOT NULL GROUP BY class`,
    )
    .all(Object.fromEntries(times.map((time, at) => [`t${at}`, time])));
  return Array.from({ length: times.length + 1 }, (_, at) => {
    const counted = (what: string) =>
      rows.find((row) => row.what === what && row.class === at)?.companies ?? 0;
    return { records: counted('records'), summaries: counted('summaries') };
  });
}

export interface TotalSeen {
  readonly observedAt: string;
  readonly total: number | null;
}

/** What the registry said of its own size, the latest first. */
export function totalsSeen(db: Database, most: number): TotalSeen[] {
  return db
    .prepare<[number], TotalSeen>(
      'SELECT observed_at AS observedAt, total FROM registry_stats ORDER BY _call_id DESC LIMIT ?',
    )
    .all(most);
}
