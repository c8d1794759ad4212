import type { Database } from 'better-sqlite3';

export interface FailureRow {
  readonly kind: string;
  readonly target: string;
  readonly tries: number;
  readonly failedAt: string;
  readonly nextTryAt: string;
  readonly why: string;
  readonly callId: number;
}

/**
 * Reads and writes `_failure`, which stores failed targets that are waiting for a retry. A successful call deletes its
 * target's row.
 */
export function failureTable(db: Database) {
  const tries = db
    .prepare<[string, string], number>(`SELECT tries FROM _failure WHERE kind = ? AND target = ?`)
    .pluck();
  const upsert = db.prepare<[FailureRow]>(
    `INSERT INTO _failure (kind, target, tries, failed_at, next_try_at, why, call_id)
     VALUES (@kind, @target, @tries, @failedAt, @nextTryAt, @why, @callId)
     ON CONFLICT (kind, target) DO UPDATE SET tries = excluded.tries, failed_at = excluded.failed_at,
       next_try_at = excluded.next_try_at, why = excluded.why, call_id = excluded.call_id`,
  );
  const remove = db.prepare<[string, string]>(`DELETE FROM _failure WHERE kind = ? AND target = ?`);
  const count = db.prepare<[], number>(`SELECT count(*) FROM _failure`).pluck();
  // Usually the call succeeds and the table is empty, so `hasAny` saves a statement.
  let hasAny = (count.get() ?? 0) > 0;
  return {
    tries: (kind: string, target: string): number => tries.get(kind, target) ?? 0,
    set: (row: FailureRow): void => {
      hasAny = true;
      upsert.run(row);
    },
    clear: (kind: string, target: string): void => {
      if (hasAny) remove.run(kind, target);
    },
  };
}
