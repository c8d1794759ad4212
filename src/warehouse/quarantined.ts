import type { Database } from 'better-sqlite3';

/** One entry of the quarantine, with the call that brought it. */
export interface Quarantined {
  readonly quarantineId: number;
  readonly callId: number;
  readonly kind: 'stats' | 'search' | 'entity';
  readonly target: string;
  /** Of the item in its list; null: the answer as a whole. */
  readonly position: number | null;
  readonly reason: string;
  /** How often the same was answered so. */
  readonly times: number;
  readonly quarantinedAt: string;
  readonly state: QuarantineState;
  readonly runId: number;
  readonly status: number | null;
  readonly bytes: number;
}

export type QuarantineState = 'open' | 'replayed' | 'superseded' | 'discarded';

const SELECT = `SELECT q.quarantine_id AS quarantineId, q.call_id AS callId, q.kind, q.target,
  nullif(q.position, -1) AS position, q.reason, q.times, q.quarantined_at AS quarantinedAt, q.state,
  c.run_id AS runId, c.status, c.bytes
  FROM _quarantine q JOIN _call c USING (call_id)`;

/** What operators do with `_quarantine`. */
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
    /** The latest first. */
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
