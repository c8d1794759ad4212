import type { Database } from 'better-sqlite3';

export interface CallRow {
  readonly callId: number;
  readonly runId: number;
  readonly kind: string;
  readonly target: string;
  /** Of a search, from 0; null for other calls. */
  readonly page: number | null;
  readonly reason: string;
  readonly expected: number;
  readonly sentAt: string;
  readonly ms: number;
  readonly status: number | null;
  readonly outcome: string;
  readonly bytes: number;
  /** Companies in the answer. */
  readonly rows: number;
  /** What is known already of its yield. */
  readonly new?: number;
}

export interface CallYield {
  readonly new: number;
  readonly changed: number;
  readonly note: string | null;
}

/** `_call`: one row per HTTP attempt, the lineage of everything else. */
export function callTable(db: Database) {
  const insert = db.prepare(
    `INSERT INTO _call (call_id, run_id, kind, target, page, reason, expected, sent_at, ms, status, outcome, bytes, rows, new)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (call_id) DO NOTHING`,
  );
  const setYield = db.prepare('UPDATE _call SET new = ?, changed = ?, note = ? WHERE call_id = ?');
  return {
    /** False: this call was loaded before. */
    add: (row: CallRow): boolean => {
      const { callId, runId, kind, target, page, reason, expected, sentAt, ms, status, outcome, bytes } = row;
      const values = [
        callId,
        runId,
        kind,
        target,
        page,
        reason,
        expected,
        sentAt,
        ms,
        status,
        outcome,
        bytes,
      ];
      return insert.run(...values, row.rows, row.new ?? 0).changes === 1;
    },
    yielded: (callId: number, result: CallYield): void => {
      setYield.run(result.new, result.changed, result.note, callId);
    },
  };
}

export interface AnsweredCall {
  readonly callId: number;
  readonly runId: number;
  readonly kind: 'stats' | 'search' | 'entity';
  readonly target: string;
  readonly page: number | null;
  readonly reason: string;
  readonly expected: number;
  readonly sentAt: string;
  readonly status: number | null;
  readonly outcome: string;
  readonly note: string | null;
}

/** The calls after one, in order: what deriving everything again goes through. */
export function callsInOrder(db: Database): (after: number, most: number) => AnsweredCall[] {
  const select = db.prepare<[number, number], AnsweredCall>(
    `SELECT call_id AS callId, run_id AS runId, kind, target, page, reason, expected, sent_at AS sentAt, status, outcome, note
     FROM _call WHERE call_id > ? AND kind <> 'probe' ORDER BY call_id LIMIT ?`,
  );
  return (after, most) => select.all(after, most);
}

/** The largest call id ever loaded; 0 when there is none. */
export function lastCallId(db: Database): number {
  return (db.prepare('SELECT max(call_id) FROM _call').pluck().get() as number | null) ?? 0;
}
