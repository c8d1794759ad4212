import { type Ledger, LOST_LEDGER_REMEDY } from '../allowance/ledger.ts';
import { CONFIRMED } from '../allowance/ledger_clock.ts';
import type { Recount } from '../allowance/recount.ts';
import { isoTime } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { MINUTE_MS } from '../durations.ts';
import { FailedError } from '../errors.ts';
import { lastCallId } from '../warehouse/call.ts';
import { spentCallsAfter, spentCallsByTime } from '../warehouse/call_counts.ts';
import { ledgerStamps } from '../warehouse/meta.ts';
import { killedRuns } from '../warehouse/run.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

/** A warehouse and its account's ledger. */
export interface LedgerUse {
  readonly config: Config;
  readonly warehouse: Pick<Warehouse, 'db'>;
  readonly ledger: Ledger;
}

/** The run in `_run` that holds the warehouse's lock. */
export interface CurrentRun {
  readonly runId: number;
}

/**
 * Returns the number of calls missing from a lost ledger. Returns 0 if the ledger is complete, or if no window limits
 * the account. Without a window, the next run counts the calls again.
 */
export function lostCalls(use: LedgerUse, nowMs: number): number {
  return hasWindows(use, nowMs) ? missingCalls(use) : 0;
}

/** Returns the number of calls that a new ledger would lack, because the ledger file does not exist. */
export function callsWithoutLedger(config: Config, warehouse: Pick<Warehouse, 'db'>): number {
  return config.allowance.unlimited ? 0 : missingCalls({ config, warehouse, ledger: EMPTY_LEDGER });
}

const EMPTY_LEDGER: Pick<Ledger, 'mark'> = {
  mark: () => ({ ledgerId: '', debits: 0, starts: 0, lastSpentMs: 0 }),
};

/**
 * Returns how many calls are missing from the ledger because it was deleted, or replaced by another file or an older
 * copy. 0 means that it is the ledger that this warehouse used last. If it is not, calls that this warehouse does not
 * know can be missing too: those in flight and those made for other warehouses. The result is then at least the maximum
 * number of calls in flight.
 */
function missingCalls({
  config: { account, upstream },
  warehouse: { db },
  ledger,
}: Omit<LedgerUse, 'ledger'> & { readonly ledger: Pick<Ledger, 'mark'> }): number {
  const stamps = ledgerStamps(db).read();
  // An older version of the program recorded no state of the ledger.
  if (stamps === null) return Math.max(0, spentCallsAfter(db, 0) - ledger.mark().debits);
  const stamp = stamps.accounts[account.id];
  if (stamp === undefined) return 0;
  const calls = stamps.latest === account.id ? spentCallsAfter(db, stamp.baseCallId) : 0;
  // Read the ledger after the calls, because a run may be using this warehouse.
  const { ledgerId, debits, starts } = ledger.mark();
  const isSame = ledgerId === stamp.ledgerId;
  const isLast = isSame && starts >= (stamp.starts ?? 0);
  const missing = Math.max(stamp.debits, stamp.baseDebits + calls) - (isSame ? debits : 0);
  return Math.max(0, missing, isLast ? 0 : upstream.concurrency);
}

/**
 * Stops a run if the ledger was lost, because the run could spend the same units again. Otherwise records the ledger's
 * state in the warehouse. Call this function while holding the warehouse's lock, before the first call of a run.
 *
 * @throws LostLedgerError if some of this warehouse's calls are missing from the ledger.
 */
export function requireLedger(use: LedgerUse & CurrentRun, nowMs: number): void {
  const missing = requireCounts(use, nowMs);
  // Without a window, only the rate is limited, so only the time of the last call matters.
  if (missing > 0) use.ledger.recount(recountOf([use], nowMs));
  use.ledger.startRun();
  stampLedger(use);
}

/** Thrown if the ledger was deleted, or replaced by another file or an older copy. */
export class LostLedgerError extends FailedError {}

/**
 * Returns the number of calls missing from the ledger, which can be positive only if there is no allowance window.
 *
 * @throws LostLedgerError if there is an allowance window and some of this warehouse's calls are missing from the
 * ledger.
 */
export function requireCounts(use: LedgerUse, nowMs: number): number {
  const missing = missingCalls(use);
  if (missing > 0 && hasWindows(use, nowMs)) throw lostLedger(use.config, missing);
  return missing;
}

function hasWindows({ ledger }: Pick<LedgerUse, 'ledger'>, nowMs: number): boolean {
  return ledger.state(nowMs).windows.length > 0;
}

function lostLedger({ ledger, warehouse }: Config, missing: number): LostLedgerError {
  return new LostLedgerError(
    `the ledger ${ledger} does not count ${missing} calls: it is not the ledger that the warehouse ${warehouse} used last, because it was deleted, or replaced by another file or an older copy. No call was sent`,
    { hint: LOST_LEDGER_REMEDY },
  );
}

/**
 * Records the ledger's state in the warehouse. Call this function only while none of the warehouse's calls is in
 * flight.
 */
export function stampLedger({ config, warehouse: { db }, ledger }: LedgerUse): void {
  const { ledgerId, debits, starts } = ledger.mark();
  const stamp = {
    ledgerId,
    path: config.ledger,
    debits,
    starts,
    baseDebits: debits,
    baseCallId: lastCallId(db),
  };
  ledgerStamps(db).write(config.account.id, stamp);
}

/** Updates the ledger's recorded state (the stamp) during a run if the ledger has debited more units. */
export function updateStamp({ config, warehouse: { db }, ledger }: LedgerUse): void {
  const stamp = ledgerStamps(db).read()?.accounts[config.account.id];
  if (stamp === undefined) return;
  const { debits } = ledger.mark();
  if (debits > stamp.debits) ledgerStamps(db).write(config.account.id, { ...stamp, debits });
}

/**
 * Counts the calls in the warehouses again after a ledger was lost. If a warehouse was last used with this ledger, only
 * the calls that the ledger lacks are added. No warehouse contains the calls that were in flight when a run was killed.
 * If the ledger was lost, each killed run therefore adds `upstream.concurrency` calls.
 */
export function recountOf(uses: readonly (LedgerUse & CurrentRun)[], nowMs: number): Recount {
  const isLost = uses.some((use) => missingCalls(use) > 0);
  const known = new Map<number, number>();
  const later = new Map<number, number>();
  const missing = new Map<number, number>();
  for (const use of uses) {
    const { db } = use.warehouse;
    const { ledgerId, lastSpentMs } = use.ledger.mark();
    const stamp = ledgerStamps(db).read()?.accounts[use.config.account.id];
    const isOfThisLedger = stamp === undefined || stamp.ledgerId === ledgerId;
    const add = (time: string, calls: number) => {
      const countedAtMs = Math.min(Date.parse(time), nowMs) + CONFIRMED.laterMs;
      const minuteMs = Math.floor(countedAtMs / MINUTE_MS) * MINUTE_MS;
      const maps = isOfThisLedger
        ? [known, ...(isLost && Date.parse(time) > lastSpentMs ? [later] : [])]
        : [missing];
      for (const counts of maps) counts.set(minuteMs, (counts.get(minuteMs) ?? 0) + calls);
    };
    for (const { time, calls } of spentCallsByTime(db, isoTime(lastSpentMs))) add(time, calls);
    if (isLost) for (const time of killedRuns(db, use.runId)) add(time, use.config.upstream.concurrency);
  }
  const latestMs = Math.max(0, ...known.keys(), ...missing.keys()) - CONFIRMED.laterMs;
  return { known, later, missing, lastSentMs: Math.min(Math.max(0, latestMs + MINUTE_MS), nowMs) };
}
