import type { Database } from 'better-sqlite3';
import { rows, run } from '../sqlite/statements.ts';

/** Reads and writes `_record_version`, which lists the calls that returned a new version of a record. */

interface VersionRow {
  readonly callId: number;
  readonly isTombstone: 0 | 1;
}

export function addVersion(db: Database, entityId: string, callId: number, isTombstone: boolean): void {
  const sql = 'INSERT INTO _record_version (entity_id, call_id, is_tombstone) VALUES (?, ?, ?)';
  run(db, sql, entityId, callId, isTombstone ? 1 : 0);
}

/** Records when a gone entity's last version ended. */
export function endVersion(db: Database, entityId: string, endedAt: string): void {
  run(
    db,
    `UPDATE _record_version SET ended_at = @endedAt
     WHERE entity_id = @entityId AND call_id =
       (SELECT max(call_id) FROM _record_version WHERE entity_id = @entityId AND NOT is_tombstone)`,
    { entityId, endedAt },
  );
}

/** Returns an entity's versions, newest first. */
export function latestVersions(db: Database, entityId: string): VersionRow[] {
  return rows(
    db,
    `SELECT call_id AS callId, is_tombstone AS isTombstone FROM _record_version
     WHERE entity_id = ? ORDER BY call_id DESC`,
    entityId,
  );
}
