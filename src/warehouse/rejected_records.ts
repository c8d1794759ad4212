import type { Database } from 'better-sqlite3';
import { metaTable } from './meta.ts';

/** Returns whether the upstream rejected every record call when record calls were last sent. */
export function areRecordsDoubted(db: Database): boolean {
  return metaTable(db).get('records_doubted') !== null;
}

export function setRecordsDoubted(db: Database, areDoubted: boolean): void {
  if (areDoubted !== areRecordsDoubted(db)) metaTable(db).set('records_doubted', areDoubted ? '1' : null);
}

/**
 * Returns the id of the company whose record was last added or changed, unless it is gone or its last call failed. It
 * shows whether record calls still work. Returns null if there is no such company.
 */
export function lastFetchedId(db: Database): string | null {
  const select = db.prepare<[], string>(
    `SELECT entity_id FROM _company
     WHERE record_version IS NOT NULL AND gone_at IS NULL AND missing_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM _failure WHERE kind = 'entity' AND target = entity_id)
     ORDER BY record_version DESC LIMIT 1`,
  );
  return select.pluck().get() ?? null;
}
