import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import type { Failure } from '../knowledge.ts';
import { row, rows, run, value } from '../sqlite/statements.ts';
import type { RowOf } from './table.ts';
import { FAILURE } from './tables.ts';

type FailureRow = RowOf<typeof FAILURE>;

/**
 * Reads and writes `_failure`, which stores failed targets that are waiting for a retry. A successful call deletes its
 * target's row.
 */

export function findFailure(
  db: Database,
  kind: string,
  target: string,
): Pick<FailureRow, 'tries' | 'why'> | null {
  const sql = 'SELECT tries, why FROM _failure WHERE kind = ? AND target = ?';
  return row<Pick<FailureRow, 'tries' | 'why'>>(db, sql, kind, target) ?? null;
}

export function setFailure(db: Database, failure: FailureRow): void {
  FAILURE.insert(db, { onConflict: 'update' })(failure);
}

export function clearFailure(db: Database, kind: string, target: string): void {
  run(db, 'DELETE FROM _failure WHERE kind = ? AND target = ?', kind, target);
}

/** Returns the failures of calls after `callId`. */
export function failuresAfter(db: Database, callId: number): Failure[] {
  return rows<FailureRow>(db, `SELECT ${FAILURE.selected()} FROM _failure WHERE call_id > ?`, callId).map(
    ({ kind, target, tries, nextTryAt, why }) => ({
      kind,
      target,
      tries,
      step: tries,
      why,
      nextTryAtMs: Date.parse(nextTryAt),
    }),
  );
}

/** Counts the failed targets that are waiting for a retry. */
export function waitingCount(db: Database, nowMs: number): number {
  const sql = `SELECT count(*) FROM _failure WHERE next_try_at > ? AND ${IS_UNEXPECTED}`;
  return value<number>(db, sql, isoTime(nowMs)) ?? 0;
}

/** Omits queries that the upstream rejects, such as too short ones. Other queries find the same companies. */
export const IS_UNEXPECTED = `NOT (kind = 'search'
  AND EXISTS (SELECT 1 FROM _query WHERE query_key = target AND _query.status = 'refused'))`;
