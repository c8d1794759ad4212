import type { Database } from 'better-sqlite3';
import { row, rows, run, value } from '../sqlite/statements.ts';
import type { RowOf } from './table.ts';
import { type CALL, QUARANTINE } from './tables.ts';

export interface QuarantineEntry {
  readonly callId: number;
  readonly kind: string;
  readonly target: string;
  /** The item's position in its list; null for a whole response. */
  readonly position: number | null;
  readonly reason: string;
  readonly at: string;
}

/**
 * Reads and writes `_quarantine`, which lists responses, or items in responses, that cannot be processed. Their bodies
 * remain in `_answer`.
 */

export function addQuarantined(db: Database, entry: QuarantineEntry): void {
  run(
    db,
    `INSERT INTO _quarantine (call_id, kind, target, position, reason, quarantined_at)
     VALUES (@callId, @kind, @target, @position, @reason, @at)
     ON CONFLICT (kind, target, position) WHERE state = 'open' DO UPDATE SET
       call_id = excluded.call_id, reason = excluded.reason, times = times + 1,
       quarantined_at = excluded.quarantined_at`,
    { ...entry, position: entry.position ?? -1 },
  );
}

/** Closes a request's open entries after a later response to it was processed. */
export function supersedeQuarantined(db: Database, kind: string, target: string): void {
  const sql = "UPDATE _quarantine SET state = 'superseded' WHERE kind = ? AND target = ? AND state = 'open'";
  run(db, sql, kind, target);
}

/** A quarantine entry and its call. `position` is null for a whole response. */
export type Quarantined = Omit<RowOf<typeof QUARANTINE>, 'position'> &
  Pick<RowOf<typeof CALL>, 'runId' | 'status' | 'bytes'> & { readonly position: number | null };
type QuarantineState = Quarantined['state'];

const SELECT = `SELECT ${QUARANTINE.selected('q')}, nullif(q.position, -1) AS position, c.run_id AS runId, c.status, c.bytes
  FROM _quarantine q JOIN _call c USING (call_id)`;

/** Returns at most `most` entries, newest first. */
export function listQuarantined(db: Database, which: 'open' | 'all', most: number): Quarantined[] {
  const condition = which === 'open' ? "WHERE q.state = 'open'" : '';
  return rows(db, `${SELECT} ${condition} ORDER BY q.call_id DESC, q.position LIMIT ?`, most);
}

export function findQuarantined(db: Database, quarantineId: number): Quarantined | null {
  return row<Quarantined>(db, `${SELECT} WHERE q.quarantine_id = ?`, quarantineId) ?? null;
}

export function quarantineCounts(db: Database): Record<QuarantineState, number> {
  const counts = rows<{ state: QuarantineState; n: number }>(
    db,
    'SELECT state, count(*) AS n FROM _quarantine GROUP BY state',
  );
  return {
    open: 0,
    replayed: 0,
    superseded: 0,
    discarded: 0,
    ...Object.fromEntries(counts.map(({ state, n }) => [state, n])),
  };
}

/** Counts the open quarantine entries. An entry is a whole response or one item in it. */
export function openQuarantineCount(db: Database): number {
  return value<number>(db, "SELECT count(*) FROM _quarantine WHERE state = 'open'") ?? 0;
}

export function setQuarantineState(db: Database, quarantineId: number, state: QuarantineState): void {
  run(db, 'UPDATE _quarantine SET state = ? WHERE quarantine_id = ?', state, quarantineId);
}
