import type { Database } from 'better-sqlite3';
import { VERSION } from './tables.ts';

export interface VersionRow {
  readonly callId: number;
  readonly isTombstone: 0 | 1;
}

/** Reads and writes `_record_version`, which lists the calls that returned a new version of a record. */
export function versionTable(db: Database) {
  const insert = VERSION.insert(db);
  const end = db.prepare<{ entityId: string; endedAt: string }>(
    `UPDATE _record_version SET ended_at = @endedAt
     WHERE entity_id = @entityId AND call_id =
       (SELECT max(call_id) FROM _record_version WHERE entity_id = @entityId AND NOT is_tombstone)`,
  );
  const latest = db.prepare<[string], VersionRow>(
    `SELECT call_id AS callId, is_tombstone AS isTombstone FROM _record_version
     WHERE entity_id = ? ORDER BY call_id DESC`,
  );
  return {
    add: (entityId: string, callId: number, isTombstone: boolean): void => {
      insert({ entityId, callId, endedAt: null, isTombstone: isTombstone ? 1 : 0 });
    },
    /** Records when a gone entity's last version ended. */
    end: (entityId: string, endedAt: string): void => {
      end.run({ entityId, endedAt });
    },
    /** Reads an entity's versions, newest first. */
    latest: (entityId: string): IterableIterator<VersionRow> => latest.iterate(entityId),
  };
}
