import type { Database } from 'better-sqlite3';

/** How many records of known companies are due: never fetched, flagged as changed, or fetched before `before`. */
export function dueRecordCount(db: Database, before: string): number {
  const count = db.prepare<[string], number>(
    `SELECT count(*) FROM _known
     WHERE flagged_at IS NOT NULL OR gone_at IS NULL AND (asked_at IS NULL OR asked_at < ?)`,
  );
  return count.pluck().get(before) ?? 0;
}
