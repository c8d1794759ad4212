import type { Account } from './account.ts';

/** The calls that a lost ledger had counted, as recorded in the warehouses, by the start of each minute. */
export interface Recount {
  /** Calls made for warehouses that have used this ledger before. The ledger may already count some of them. */
  readonly known: ReadonlyMap<number, number>;
  /** The calls in `known` that are later than the ledger's last call, so the ledger does not count them yet. */
  readonly later: ReadonlyMap<number, number>;
  /** Calls made for warehouses that used another ledger. This ledger counts none of them. */
  readonly missing: ReadonlyMap<number, number>;
  readonly lastSentMs: number;
}

/** Returns the account with the recounted calls. No count decreases. */
export function recountedAccount(
  account: Account,
  { lastSentMs, ...recount }: Recount,
  slotSpacingMs: number,
): Account {
  const [known, later, missing] = [sumOf(recount.known), sumOf(recount.later), sumOf(recount.missing)];
  const spentEver = account.spent_ever;
  return {
    ...account,
    debits: account.debits + Math.max(later, known - spentEver) + missing,
    spent_ever: Math.max(spentEver + later, known) + missing,
    last_spent_ms: Math.max(account.last_spent_ms, lastSentMs),
    next_slot_ms: Math.max(account.next_slot_ms, lastSentMs + slotSpacingMs),
  };
}

function sumOf(calls: ReadonlyMap<number, number>): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}
