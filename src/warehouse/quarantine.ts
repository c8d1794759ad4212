import type { Database } from 'better-sqlite3';
import type { Naming } from './naming.ts';

export interface QuarantineEntry {
  readonly callId: number;
  readonly kind: string;
  readonly target: string;
  /** Of the item in its list; null: the answer as a whole. */
  readonly position: number | null;
  readonly reason: string;
  readonly at: string;
}

/** `_quarantine`: answers, or items of answers, that could not be understood. The body stays in `_answer`. */
export function quarantineTable(db: Database, naming: Naming) {
  const table = naming('_quarantine');
  const upsert = db.prepare(
    `INSERT INTO ${table} (call_id, kind, target, position, reason, quarantined_at)
     VALUES (@callId, @kind, @target, @position, @reason, @at)
     ON CONFLICT (kind, target, position) WHERE state = 'open' DO UPDATE SET
       call_id = excluded.call_id, reason = excluded.reason, times = times + 1,
       quarantined_at = excluded.quarantined_at`,
  );
  const supersede = db.prepare<[string, string]>(
    `UPDATE ${table} SET state = 'superseded' WHERE kind = ? AND target = ? AND state = 'open'`,
  );
  const countOpen = db.prepare<[], number>(`SELECT count(*) FROM ${table} WHERE state = 'open'`).pluck();
  // Nearly every answer is understood while nothing waits: that must not cost a statement.
  let hasOpen = (countOpen.get() ?? 0) > 0;
  return {
    add: (entry: QuarantineEntry): void => {
      hasOpen = true;
      upsert.run({ ...entry, position: entry.position ?? -1 });
    },
    /** A later answer to the same question was understood. */
    supersede: (kind: string, target: string): void => {
      if (hasOpen) supersede.run(kind, target);
    },
  };
}
