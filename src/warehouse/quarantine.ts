import type { Database } from 'better-sqlite3';
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
export function quarantineTable(db: Database) {
  const upsert = db.prepare(
    `INSERT INTO _quarantine (call_id, kind, target, position, reason, quarantined_at)
     VALUES (@callId, @kind, @target, @position, @reason, @at)
     ON CONFLICT (kind, target, position) WHERE state = 'open' DO UPDATE SET
       call_id = excluded.call_id, reason = excluded.reason, times = times + 1,
       quarantined_at = excluded.quarantined_at`,
  );
  const supersede = db.prepare<[string, string]>(
    `UPDATE _quarantine SET state = 'superseded' WHERE kind = ? AND target = ? AND state = 'open'`,
  );
  const countOpen = db.prepare<[], number>(`SELECT count(*) FROM _quarantine WHERE state = 'open'`).pluck();
  // Usually the response is valid and the quarantine is empty, so `hasOpen` saves a statement.
  let hasOpen = (countOpen.get() ?? 0) > 0;
  return {
    add: (entry: QuarantineEntry): void => {
      hasOpen = true;
      upsert.run({ ...entry, position: entry.position ?? -1 });
    },
    /** Closes a request's open entries after a later response to it was processed. */
    supersede: (kind: string, target: string): void => {
      if (hasOpen) supersede.run(kind, target);
    },
  };
}

/** A quarantine entry and its call. `position` is null for a whole response. */
export type Quarantined = Omit<RowOf<typeof QUARANTINE>, 'position'> &
  Pick<RowOf<typeof CALL>, 'runId' | 'status' | 'bytes'> & { readonly position: number | null };
type QuarantineState = Quarantined['state'];

const SELECT = `SELECT ${QUARANTINE.selected('q')}, nullif(q.position, -1) AS position, c.run_id AS runId, c.status, c.bytes
  FROM _quarantine q JOIN _call c USING (call_id)`;

/** Provides what operators can do with `_quarantine`. */
export function quarantineRegister(db: Database) {
  const open = db.prepare<[number], Quarantined>(
    `${SELECT} WHERE q.state = 'open' ORDER BY q.call_id DESC, q.position LIMIT ?`,
  );
  const all = db.prepare<[number], Quarantined>(`${SELECT} ORDER BY q.call_id DESC, q.position LIMIT ?`);
  const find = db.prepare<[number], Quarantined>(`${SELECT} WHERE q.quarantine_id = ?`);
  const counts = db.prepare<[], { state: QuarantineState; n: number }>(
    'SELECT state, count(*) AS n FROM _quarantine GROUP BY state',
  );
  const setState = db.prepare<[QuarantineState, number]>(
    'UPDATE _quarantine SET state = ? WHERE quarantine_id = ?',
  );
  return {
    /** Returns at most `most` entries, newest first. */
    list: (which: 'open' | 'all', most: number): Quarantined[] => (which === 'open' ? open : all).all(most),
    find: (quarantineId: number): Quarantined | null => find.get(quarantineId) ?? null,
    counts: (): Record<QuarantineState, number> => ({
      ...{ open: 0, replayed: 0, superseded: 0, discarded: 0 },
      ...Object.fromEntries(counts.all().map(({ state, n }) => [state, n])),
    }),
    setState: (quarantineId: number, state: QuarantineState): void => {
      setState.run(state, quarantineId);
    },
  };
}
