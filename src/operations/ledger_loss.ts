import { type Ledger, LOST_LEDGER_REMEDY } from '../allowance/ledger.ts';
import type { Recount } from '../allowance/recount.ts';
import { isLifetime } from '../allowance/windows.ts';
import { isoTime } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { FailedError } from '../errors.ts';
import { lastCallId } from '../warehouse/call.ts';
import {
  killedRuns,
  ledgerStamps,
  spentCallsAfter,
  spentCallsBetween,
  spentCallsByMinute,
} from '../warehouse/spent_calls.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

/** One warehouse and the ledger of its account. */
export interface LedgerUse {
  readonly config: Config;
  readonly warehouse: Warehouse;
  readonly ledger: Ledger;
}

/** The run in `_run` that holds the warehouse's lock. */
export interface CurrentRun {
  readonly runId: number;
}

/**
 * The number of this warehouse's calls that the ledger does not count, because the ledger was deleted or replaced by
 * another file or an older copy. 0 means that the ledger is complete.
 */
export function missingCalls({ config, warehouse: { db }, ledger }: LedgerUse, nowMs: number): number {
  const accountId = config.account.id;
  const stamps = ledgerStamps(db).read();
  if (stamps === null) return missingInWindows({ config, ledger, db }, nowMs);
  const stamp = stamps.accounts[accountId];
  if (stamp === undefined) return 0;
  const calls = stamps.latest === accountId ? spentCallsAfter(db, stamp.baseCallId) : 0;
  const { ledgerId, debits } = ledger.mark();
  return Math.max(
    0,
    Math.max(stamp.debits, stamp.baseDebits + calls) - (ledgerId === stamp.ledgerId ? debits : 0),
  );
}

/**
 * Used for a warehouse from an older version, which has no stamp. Compares its calls in the current windows with the
 * ledger.
 */
function missingInWindows(
  { ledger, db }: Pick<LedgerUse, 'config' | 'ledger'> & Pick<Warehouse, 'db'>,
  nowMs: number,
): number {
  const missing = ledger.state(nowMs).windows.map((window) => {
    const since = isLifetime(window) ? '' : isoTime(window.sinceMs);
    return spentCallsBetween(db, since, isoTime(nowMs)) - window.spent;
  });
  return Math.max(0, ...missing);
}

/**
 * Stops a run if the ledger was lost, because the run would spend the same units a second time. Otherwise records the
 * ledger's state in the warehouse. Call this function while holding the warehouse's lock, before the first call of a
 * run.
 *
 * @throws FailedError if the ledger does not count all calls of this warehouse.
 */
export function requireLedger(use: LedgerUse & CurrentRun, nowMs: number): void {
  const missing = missingCalls(use, nowMs);
  if (missing > 0) {
    // If there is no window, only the rate is limited, and the time of the last call is sufficient.
    if (use.ledger.state(nowMs).windows.length > 0) throw lostLedger(use, missing);
    use.ledger.recount(recountOf([use], nowMs));
  }
  stampLedger(use);
}

function lostLedger({ config }: Pick<LedgerUse, 'config'>, missing: number): FailedError {
  return new FailedError(
    `the ledger ${config.ledger} does not count ${missing} calls of the warehouse ${config.warehouse}: it was deleted, or replaced by another file or an older copy. No call was sent`,
    { hint: LOST_LEDGER_REMEDY },
  );
}

/** Records the ledger's state. Call this function while no call of this warehouse is in flight. */
export function stampLedger({ config, warehouse: { db }, ledger }: LedgerUse): void {
  const { ledgerId, debits } = ledger.mark();
  const stamp = { ledgerId, debits, baseDebits: debits, baseCallId: lastCallId(db) };
  ledgerStamps(db).write(config.account.id, stamp);
}

/** Records during a run that the ledger has debited more units. */
export function updateStamp({ config, warehouse: { db }, ledger }: LedgerUse): void {
  const stamp = ledgerStamps(db).read()?.accounts[config.account.id];
  if (stamp === undefined) return;
  const { debits } = ledger.mark();
  if (debits > stamp.debits) ledgerStamps(db).write(config.account.id, { ...stamp, debits });
}

/**
 * Counts the calls in the warehouses again after a ledger was lost. If a warehouse has a stamp from this ledger, only
 * calls that the ledger does not count yet are added. Calls that were in flight when a run was killed are not in any
 * warehouse. Each killed run of a warehouse whose ledger was lost therefore adds `upstream.concurrency` calls.
 */
export function recountOf(uses: readonly (LedgerUse & CurrentRun)[], nowMs: number): Recount {
  const known = new Map<number, number>();
  const missing = new Map<number, number>();
  for (const use of uses) {
    const { db } = use.warehouse;
    const stamp = ledgerStamps(db).read()?.accounts[use.config.account.id];
    const isOfThisLedger = stamp === undefined || stamp.ledgerId === use.ledger.mark().ledgerId;
    const counts = isOfThisLedger ? known : missing;
    const add = (time: string, calls: number) => {
      const minuteMs = Math.floor(Math.min(Date.parse(time), nowMs) / MINUTE_MS) * MINUTE_MS;
      counts.set(minuteMs, (counts.get(minuteMs) ?? 0) + calls);
    };
    for (const { minute, calls } of spentCallsByMinute(db)) add(`${minute}Z`, calls);
    if (missingCalls(use, nowMs) > 0)
      for (const time of killedRuns(db, use.runId)) add(time, use.config.upstream.concurrency);
  }
  const latestMs = Math.max(0, ...known.keys(), ...missing.keys());
  return { known, missing, lastSentMs: Math.min(latestMs + MINUTE_MS, nowMs) };
}

const MINUTE_MS = 60_000;
