import type { Database } from 'better-sqlite3';
import type { Naming } from './table_naming.ts';

export interface ChangeRow {
  readonly entityId: string;
  readonly observedAt: string;
  /** The fetch before: the change happened after it. */
  readonly notBefore: string | null;
  /** JSON Pointer into the record, or `_gone_at`. */
  readonly path: string;
  /** The column of the field, in a list with its table (`entity__officers.name`); null: an object or a whole element. */
  readonly columnName: string | null;
  readonly before: null | number | bigint | string;
  readonly after: null | number | bigint | string;
  readonly callId: number;
}

/** `entity_change`: one row per field that changed. */
export function changeTable(db: Database, naming: Naming) {
  const insert = db.prepare<[ChangeRow]>(
    `INSERT INTO ${naming('entity_change')} (entity_id, observed_at, not_before, path, column_name, before, after, _call_id)
     VALUES (@entityId, @observedAt, @notBefore, @path, @columnName, @before, @after, @callId)`,
  );
  return {
    add: (row: ChangeRow): void => {
      insert.run(row);
    },
  };
}
