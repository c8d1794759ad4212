import type { Database } from 'better-sqlite3';
import { value } from '../sqlite/statements.ts';

/** Returns a function whose result changes when another connection writes to the file. */
export function fileVersion(db: Database): () => number {
  return () => value<number>(db, 'PRAGMA data_version') ?? 0;
}

/**
 * Returns a function that finds the id of the last call that listed a company. It returns null if no search has listed
 * the company.
 */
export function listingCalls(db: Database): (entityId: string) => number | null {
  const sql = 'SELECT _call_id FROM search_result WHERE entity_id = ?';
  return (entityId) => value<number>(db, sql, entityId) ?? null;
}
