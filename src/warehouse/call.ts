import type { Database } from 'better-sqlite3';

export interface CallRow {
  readonly callId: number;
  readonly runId: number;
  readonly kind: string;
  readonly target: string;
  readonly reason: string;
  readonly expected: number;
  readonly sentAt: string;
  readonly ms: number;
  readonly status: number | null;
  readonly outcome: string;
  readonly bytes: number;
  /** Companies in the answer. */
  readonly rows: number;
}

export interface CallYield {
  readonly new: number;
  readonly changed: number;
  readonly note: string | null;
}

/** `_call`: one row per HTTP attempt, the lineage of everything else. */
export function callTable(db: Database) {
  const insert = db.prepare(
    `INSERT INTO _call (call_id, run_id, kind, target, reason, expected, sent_at, ms, status, outcome, bytes, rows)
     VALUES (@callId, @runId, @kind, @target, @reason, @expected, @sentAt, @ms, @status, @outcome, @bytes, @rows)
     ON CONFLICT (call_id) DO NOTHING`,
  );
  const setYield = db.prepare(
    'UPDATE _call SET new = @new, changed = @changed, note = @note WHERE call_id = @callId',
  );
  return {
    /** False: this call was loaded before. */
    add: (row: CallRow): boolean => insert.run(row).changes === 1,
    yielded: (callId: number, result: CallYield): void => {
      setYield.run({ callId, ...result });
    },
  };
}

/** The largest call id ever loaded; 0 when there is none. */
export function lastCallId(db: Database): number {
  return (db.prepare('SELECT max(call_id) FROM _call').pluck().get() as number | null) ?? 0;
}
