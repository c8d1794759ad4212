import type { Database } from 'better-sqlite3';
import { metaTable } from './meta.ts';

/** Calls that cost a unit. A call without a valid URL is stored with neither a status nor a duration. */
const COST_A_UNIT = "outcome <> 'unsent' AND NOT (status IS NULL AND ms = 0)";

/** The number of calls after `callId` that cost a unit. */
export function spentCallsAfter(db: Database, callId: number): number {
  return db
    .prepare(`SELECT count(*) FROM _call WHERE call_id > ? AND ${COST_A_UNIT}`)
    .pluck()
    .get(callId) as number;
}

/** The number of calls from `since` to `until` (ISO 8601) that cost a unit. */
export function spentCallsBetween(db: Database, since: string, until: string): number {
  return db
    .prepare(
      `SELECT count(*) FROM _call
       WHERE substr(sent_at, 1, 10) >= substr(@since, 1, 10) AND sent_at BETWEEN @since AND @until AND ${COST_A_UNIT}`,
    )
    .pluck()
    .get({ since, until }) as number;
}

/** The calls that cost a unit, per minute (`2026-03-01T10:15`), the oldest first. */
export function spentCallsByMinute(db: Database): { readonly minute: string; readonly calls: number }[] {
  return db
    .prepare(
      `SELECT substr(sent_at, 1, 16) AS minute, count(*) AS calls FROM _call WHERE ${COST_A_UNIT} GROUP BY 1 ORDER BY 1`,
    )
    .all() as { minute: string; calls: number }[];
}

/** The times of the runs before `runId` that were killed, so that no end is recorded. */
export function killedRuns(db: Database, runId: number): string[] {
  return db
    .prepare<[number], string>(
      `SELECT coalesce((SELECT max(sent_at) FROM _call WHERE _call.run_id = _run.run_id), started_at)
       FROM _run WHERE ended IS NULL AND run_id < ?`,
    )
    .pluck()
    .all(runId);
}

/** The calls of one run, by kind. */
export function callsOfRun(db: Database, runId: number) {
  return db
    .prepare<[number], { kind: string; calls: number; first: string; last: string }>(
      `SELECT kind, count(*) AS calls, min(sent_at) AS first, max(sent_at) AS last FROM _call
       WHERE run_id = ? GROUP BY kind ORDER BY kind`,
    )
    .all(runId);
}

/** The state of the ledger when this warehouse last used it. It shows whether the ledger was lost since then. */
export interface LedgerStamp {
  readonly ledgerId: string;
  /** The units that the ledger had debited when it was last read. */
  readonly debits: number;
  /** The units that the ledger had debited at the start of the last run. */
  readonly baseDebits: number;
  /** The last call before that run. Each later call of the account was debited after `baseDebits`. */
  readonly baseCallId: number;
}

interface LedgerStamps {
  /** The account of the calls after its `baseCallId`. */
  readonly latest: string;
  readonly accounts: Readonly<Record<string, LedgerStamp>>;
}

/** The ledger stamps of a warehouse: one for each account whose allowance it spends. */
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
