import type { Account } from './account.ts';

/** Calls that a ledger lacks because it was lost, as recorded in the warehouses. */
export interface Recount {
  /** The number of calls by the minute in which they are counted. */
  readonly calls: ReadonlyMap<number, number>;
  readonly lastSentMs: number;
}

/** Returns the account with the recounted calls. */
export function recountedAccount(
  account: Account,
  { calls, lastSentMs }: Recount,
  slotSpacingMs: number,
): Account {
  const added = [...calls.values()].reduce((sum, count) => sum + count, 0);
  return {
    ...account,
    debits: account.debits + added,
    spent_ever: account.spent_ever + added,
    last_spent_ms: Math.max(account.last_spent_ms, lastSentMs),
    next_slot_ms: Math.max(account.next_slot_ms, lastSentMs + slotSpacingMs),
  };
}
