import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { row, value } from '../sqlite/statements.ts';

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
  const sql = `SELECT ${id} AS id, ${time} AS time FROM ${table} WHERE ${id} >= ? ORDER BY ${id} LIMIT 1`;
  let first = value<number | null>(db, `SELECT min(${id}) FROM ${table}`) ?? 0;
  let end = (value<number | null>(db, `SELECT max(${id}) FROM ${table}`) ?? 0) + 1;
  while (first < end) {
    const middle = Math.floor((first + end) / 2);
    const next = row<{ id: number; time: string }>(db, sql, middle);
    if (next === undefined || next.time >= since) end = middle;
    else first = next.id + 1;
  }
  return first;
}
