import type Database from 'better-sqlite3';

/** Which warehouses spend an account's allowance: they share it, and each plans as if it were alone. */
export interface Users {
  /** This warehouse spends it. */
  note(warehouse: string, nowMs: number): void;
  /** Those that did within two months, the latest first. */
  list(nowMs: number): string[];
}

export function openUsers(db: Database.Database, accountId: string): Users {
  const note = db.prepare(
    `INSERT INTO user (account_id, warehouse, used_at_ms) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET used_at_ms = excluded.used_at_ms WHERE used_at_ms < excluded.used_at_ms - ${RESOLUTION_MS}`,
  );
  const list = db
    .prepare<[string, number], string>(
      'SELECT warehouse FROM user WHERE account_id = ? AND used_at_ms >= ? ORDER BY used_at_ms DESC',
    )
    .pluck();
  return {
    note: (warehouse, nowMs) => void note.run(accountId, warehouse, Math.round(nowMs)),
    list: (nowMs) => list.all(accountId, nowMs - FORGOTTEN_AFTER_MS),
  };
}

// A warehouse is opened often; the ledger is written for it once an hour.
const RESOLUTION_MS = 60 * 60 * 1000;
const FORGOTTEN_AFTER_MS = 62 * 24 * 60 * 60 * 1000;
