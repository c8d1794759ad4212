import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { lowerBound } from '../names/ordered_texts.ts';
import { value } from '../sqlite/statements.ts';

/** A table whose rows are written nearly in the order of their times. `time` is a column of ISO 8601 texts. */
interface Timeline {
  readonly table: string;
  readonly id: string;
  readonly time: string;
}

/**
 * Returns the id from which rows are as new as `sinceMs`, as far as their order is that of their times. A binary search
 * replaces an index of the times.
 */
export function firstIdSince(db: Database, { table, id, time }: Timeline, sinceMs: number): number {
  const since = isoTime(Math.max(0, sinceMs));
  const sql = `SELECT ${time} FROM ${table} WHERE ${id} >= ? ORDER BY ${id} LIMIT 1`;
  const first = value<number | null>(db, `SELECT min(${id}) FROM ${table}`) ?? 0;
  const last = value<number | null>(db, `SELECT max(${id}) FROM ${table}`) ?? 0;
  const isOlder = (index: number) => (value<string>(db, sql, first + index) ?? since) < since;
  return first + lowerBound(last + 1 - first, isOlder);
}
