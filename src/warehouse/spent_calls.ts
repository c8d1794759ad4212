import type { Database } from 'better-sqlite3';
import { metaTable } from './meta.ts';

/**
 * The condition for calls that cost a unit. A call without a valid URL costs none. It is stored without a status and
 * with a duration of 0.
 */
const COST_A_UNIT = "outcome <> 'unsent' AND NOT (status IS NULL AND ms = 0)";

/** Counts the calls after `callId` that cost a unit. */
export function spentCallsAfter(db: Database, callId: number): number {
  return db
    .prepare(`SELECT count(*) FROM _call WHERE call_id > ? AND ${COST_A_UNIT}`)
    .pluck()
    .get(callId) as number;
}

/**
 * Counts the calls that cost a unit, by minute, oldest minute first. The minute that includes `border` (ISO 8601) is
 * split there into two parts. `time` is when the last call in the minute or part was sent.
 */
export function spentCallsByTime(
  db: Database,
  border: string,
): { readonly time: string; readonly calls: number }[] {
  return db
    .prepare(
      `SELECT max(sent_at) AS time, count(*) AS calls FROM _call WHERE ${COST_A_UNIT}
       GROUP BY substr(sent_at, 1, 16), sent_at > ? ORDER BY 1`,
    )
    .all(border) as { time: string; calls: number }[];
}

/**
 * For each killed run before `runId`, returns the time of its last call, or of its start if it made none. A killed run
 * has no recorded end.
 */
export function killedRuns(db: Database, runId: number): string[] {
  return db
    .prepare<[number], string>(
      `SELECT coalesce((SELECT max(sent_at) FROM _call WHERE _call.run_id = _run.run_id), started_at)
       FROM _run WHERE ended IS NULL AND run_id < ?`,
    )
    .pluck()
    .all(runId);
}

/** Counts a run's calls by kind. */
export function callsOfRun(db: Database, runId: number) {
  return db
    .prepare<[number], { kind: string; calls: number; first: string; last: string }>(
      `SELECT kind, count(*) AS calls, min(sent_at) AS first, max(sent_at) AS last FROM _call
       WHERE run_id = ? GROUP BY kind ORDER BY kind`,
    )
    .all(runId);
}

/**
 * The ledger's state when this warehouse last used it. A comparison with the current ledger shows whether the ledger
 * has since been lost or restored.
 */
export interface LedgerStamp {
  readonly ledgerId: string;
  /** The ledger's path. Stamps written by an older version lack it. */
  readonly path?: string;
  /** How many runs have used the account. */
  readonly starts: number;
  /** How many units the ledger had debited when it was last read. */
  readonly debits: number;
  /** How many units the ledger had debited when the last run started. */
  readonly baseDebits: number;
  /** The last call before the last run. `baseDebits` excludes the debits for all of the account's later calls. */
  readonly baseCallId: number;
}

interface LedgerStamps {
  /** The account that was used last. It paid for all calls after its `baseCallId`. */
  readonly latest: string;
  readonly accounts: Readonly<Record<string, LedgerStamp>>;
}

/** Returns a warehouse's ledger stamps, one for each account that it has used. */
export function ledgerStamps(db: Database) {
  const meta = metaTable(db);
  const read = (): LedgerStamps | null => JSON.parse(meta.get('ledger') ?? 'null');
  return {
    read,
    write: (account: string, stamp: LedgerStamp): void =>
      meta.set(
        'ledger',
        JSON.stringify({ latest: account, accounts: { ...read()?.accounts, [account]: stamp } }),
      ),
  };
}
