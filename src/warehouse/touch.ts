import type { Database } from 'better-sqlite3';

/** Updates the built-in columns of `entity` and `search_result` without changing the payload. */
export function entityTouch(db: Database) {
  const fetched = db.prepare<[string, string]>(`UPDATE entity SET _fetched_at = ? WHERE entity_id = ?`);
  const gone = db.prepare<[string | null, string]>(`UPDATE entity SET _gone_at = ? WHERE entity_id = ?`);
  const listed = db.prepare<[string, string]>(
    `UPDATE search_result SET _last_seen_at = ? WHERE entity_id = ?`,
  );
  return {
    fetchedAgain: (entityId: string, at: string): void => {
      fetched.run(at, entityId);
    },
    gone: (entityId: string, at: string | null): void => {
      gone.run(at, entityId);
    },
    listedAgain: (entityId: string, at: string): void => {
      listed.run(at, entityId);
    },
  };
}

/** Returns a function that finds the call that last observed the statistics. It returns null if there is none. */
export function latestStatsCall(db: Database): () => number | null {
  const select = db.prepare<[], number | null>(`SELECT max(_call_id) FROM registry_stats`).pluck();
  return () => select.get() ?? null;
}
