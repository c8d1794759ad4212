import type { Database } from 'better-sqlite3';
import type { Failure } from '../knowledge.ts';
import type { RowOf } from './table.ts';
import { FAILURE } from './tables.ts';

export type FailureRow = RowOf<typeof FAILURE>;

/**
 * Reads and writes `_failure`, which stores failed targets that are waiting for a retry. A successful call deletes its
 * target's row.
 */
export function failureTable(db: Database) {
  const find = db.prepare<[string, string], Pick<FailureRow, 'tries' | 'why'>>(
    `SELECT tries, why FROM _failure WHERE kind = ? AND target = ?`,
  );
  const upsert = FAILURE.insert(db, { onConflict: 'update' });
  const remove = db.prepare<[string, string]>(`DELETE FROM _failure WHERE kind = ? AND target = ?`);
  const count = db.prepare<[], number>(`SELECT count(*) FROM _failure`).pluck();
  // Usually the call succeeds and the table is empty, so `hasAny` saves a statement.
  let hasAny = (count.get() ?? 0) > 0;
  return {
    find: (kind: string, target: string) => find.get(kind, target) ?? null,
    set: (row: FailureRow): void => {
      hasAny = true;
      upsert(row);
    },
    clear: (kind: string, target: string): void => {
      if (hasAny) remove.run(kind, target);
    },
  };
}

/** Returns a function that reads the failures of calls after `callId`. */
export function openFailures(db: Database): (callId: number) => Failure[] {
  const select = FAILURE.select<[number]>(db, 'WHERE call_id > ?');
  return (callId) =>
    select.all(callId).map(({ kind, target, tries, nextTryAt, why }) => ({
      kind,
      target,
      tries,
      why,
      nextTryAtMs: Date.parse(nextTryAt),
    }));
}
