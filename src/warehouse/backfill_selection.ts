import type { Database } from 'better-sqlite3';

/** Returns the ids of companies that were listed but never fetched, in discovery order. */
export function idsNeverFetched(db: Database): string[] {
  return db
    .prepare<[], string>(
      'SELECT entity_id FROM _company WHERE fetched_at IS NULL AND gone_at IS NULL ORDER BY known_id',
    )
    .pluck()
    .all();
}

/** Returns the ids of companies whose records were last fetched before `beforeMs`, oldest fetch first. */
export function idsFetchedBefore(db: Database, beforeMs: number): string[] {
  return db
    .prepare<[number], string>(
      'SELECT entity_id FROM _company WHERE fetched_at < ? AND gone_at IS NULL ORDER BY fetched_at, known_id',
    )
    .pluck()
    .all(beforeMs);
}

/** Returns the targets of record and search calls that failed or whose response is in quarantine. */
export function failedTargets(
  db: Database,
): { readonly kind: 'entity' | 'search'; readonly target: string }[] {
  return db
    .prepare<[], { kind: 'entity' | 'search'; target: string }>(
      `SELECT kind, target FROM _failure WHERE kind IN ('entity', 'search')
       UNION SELECT kind, target FROM _quarantine WHERE state = 'open' AND kind IN ('entity', 'search')
       ORDER BY kind, target`,
    )
    .all();
}
