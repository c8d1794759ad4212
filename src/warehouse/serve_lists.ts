import type { Database } from 'better-sqlite3';
import { value } from '../sqlite/statements.ts';

/** Returns a function whose result changes when another connection writes to the file. */
export function fileVersion(db: Database): () => number {
  return () => value<number>(db, 'PRAGMA data_version') ?? 0;
}

/**
 * Returns a function whose result changes when companies are added or removed, or when a name may have changed. The
 * function never reads a whole table.
 */
export function namesMark(db: Database): () => string {
  const sql = `SELECT concat_ws(' ',
      (SELECT max(known_id) FROM _company),
      (SELECT n FROM _tally WHERE what = 'known'),
      (SELECT n FROM _tally WHERE what = 'gone'),
      (SELECT sum(changed) + sum(new) FROM _run),
      (SELECT schema_version FROM pragma_schema_version))`;
  return () => value<string>(db, sql) ?? '';
}

/**
 * Returns a function that finds the id of the last call that listed a company. It returns null if no search has listed
 * the company.
 */
export function listingCalls(db: Database): (entityId: string) => number | null {
  const sql = 'SELECT _call_id FROM search_result WHERE entity_id = ?';
  return (entityId) => value<number>(db, sql, entityId) ?? null;
}
