import type { Database } from 'better-sqlite3';
import type { Naming } from './table_naming.ts';

export interface ChangeRow {
  readonly entityId: string;
  readonly observedAt: string;
  /** The fetch before: the change happened after it. */
  readonly notBefore: string | null;
  /** JSON Pointer into the record, or `_gone_at`. */
  readonly path: string;
  readonly before: null | number | bigint | string;
  readonly after: null | number | bigint | string;
  readonly callId: number;
}

/** `entity_change`: one row per field that changed. */
export function changeTable(db: Database, naming: Naming) {
  const insert = db.prepare<[ChangeRow]>(
    `INSERT INTO ${naming('entity_change')} (entity_id, observed_at, not_before, path, before, after, _call_id)
     VALUES (@entityId, @observedAt, @notBefore, @path, @before, @after, @callId)`,
  );
  return {
    add: (row: ChangeRow): void => {
      insert.run(row);
    },
  };
}
