import type Database from 'better-sqlite3';

/** The calls that a lost ledger had counted, as recorded in the warehouses. */
export interface Recount {
  /** Calls made for warehouses that have used this ledger before. The ledger may already count some of them. */
  readonly known: ReadonlyMap<number, number>;
  /** The calls in `known` that are later than the ledger's last call, so the ledger does not count them yet. */
  readonly later: ReadonlyMap<number, number>;
  /** Calls made for warehouses that used another ledger. This ledger counts none of them. */
  readonly missing: ReadonlyMap<number, number>;
  readonly lastSentMs: number;
}

/**
 * Raises each of an account's counts to at least the recounted number. No count decreases. A recount is keyed by the
 * start of each minute, in epoch milliseconds. Call this function inside a ledger transaction.
 */
export function raiseCounts(
  db: Database.Database,
  accountId: string,
  { known, later, missing, lastSentMs }: Recount,
  slotSpacingMs: number,
): void {
  const raise = db.prepare(
    `INSERT INTO spent (account_id, minute_ms, calls) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET calls = max(calls + ?, excluded.calls)`,
  );
  const add = db.prepare(
    `INSERT INTO spent (account_id, minute_ms, calls) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET calls = calls + excluded.calls`,
  );
  for (const [minuteMs, calls] of known) raise.run(accountId, minuteMs, calls, later.get(minuteMs) ?? 0);
  for (const [minuteMs, calls] of missing) add.run(accountId, minuteMs, calls);
  db.prepare('DELETE FROM window_spent WHERE account_id = ?').run(accountId);
  db.prepare(
    `UPDATE account SET
       debits = debits + max(@later, @known - spent_ever) + @missing,
       spent_ever = max(spent_ever + @later, @known) + @missing,
       last_spent_ms = max(last_spent_ms, @lastSentMs),
       next_slot_ms = max(next_slot_ms, @lastSentMs + @slotSpacingMs)
     WHERE account_id = @accountId`,
  ).run({
    accountId,
    known: sumOf(known),
    later: sumOf(later),
    missing: sumOf(missing),
    lastSentMs,
    slotSpacingMs,
  });
}

function sumOf(calls: ReadonlyMap<number, number>): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}
