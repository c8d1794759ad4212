import type { Database } from 'better-sqlite3';
import { rows, run, value, values } from '../sqlite/statements.ts';
import type { RowOf } from './table.ts';
import { CALL } from './tables.ts';

/** A call whose response has not been processed yet. */
type CallRow = Omit<RowOf<typeof CALL>, keyof Processed | 'note'> & Pick<RowOf<typeof CALL>, 'note'>;

/** The columns in `_call` that are known only after processing. */
export type CallResult = Pick<RowOf<typeof CALL>, 'callId' | 'note' | keyof Processed>;
type Processed = Pick<RowOf<typeof CALL>, 'outcome' | 'rows' | 'new' | 'changed'>;

/** The outcome of a call that is stored but not yet processed. */
const RECEIVED = 'received';

/** Reads and writes `_call`, which has one row per HTTP attempt. All other rows' lineage leads to these rows. */
export class Calls {
  readonly #db: Database;
  readonly #insert;
  readonly #settle;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = CALL.insert(db, { properties: STORED_AT_ONCE, onConflict: 'ignore' });
    this.#settle = CALL.update(db, ['outcome', 'rows', 'new', 'changed', 'note'], ['call_id']);
  }

  /** Stores a call. Returns false if the call is already stored. */
  add(row: CallRow): boolean {
    return this.#insert({ ...row, outcome: RECEIVED }).changes === 1;
  }

  /** Stores the results of processing. */
  settle(results: readonly CallResult[]): void {
    for (const result of results) this.#settle(result, result.callId);
  }

  /** Returns the calls that are stored but not yet processed, in id order. */
  unprocessed(): StoredCall[] {
    return rows(
      this.#db,
      `SELECT ${STORED} FROM _call INDEXED BY _call_received
       WHERE outcome = '${RECEIVED}' AND kind <> 'probe' ORDER BY call_id`,
    );
  }
}

/** A stored call, as it is processed. */
export type StoredCall = Omit<RowOf<typeof CALL>, 'kind' | 'sentAfter'> & {
  readonly kind: 'stats' | 'search' | 'entity';
  readonly sentAfter: number;
};

/** The properties that are known when a call is stored. */
const STORED_AT_ONCE = [
  ...(['callId', 'runId', 'kind', 'target', 'page', 'reason', 'expected', 'sentAt'] as const),
  ...(['sentAfter', 'ms', 'status', 'outcome', 'bytes', 'note'] as const),
];
const STORED = CALL.selected().replace('"sent_after"', 'coalesce(sent_after, call_id - 1)');

/** Reads up to `most` calls with ids above `after` in id order, for `reprocess`. */
export function callsInOrder(db: Database, after: number, most: number): StoredCall[] {
  const sql = `SELECT ${STORED} FROM _call WHERE call_id > ? AND kind <> 'probe' ORDER BY call_id LIMIT ?`;
  return rows(db, sql, after, most);
}

/** Returns the largest call id, or 0 if there is no call. */
export function lastCallId(db: Database): number {
  return value<number | null>(db, 'SELECT max(call_id) FROM _call') ?? 0;
}

/** Returns the largest id up to which every call is processed, or 0 if there is none. */
export function lastProcessedCallId(db: Database): number {
  const firstUnprocessed = value<number | null>(
    db,
    `SELECT min(call_id) FROM _call INDEXED BY _call_received WHERE outcome = '${RECEIVED}' AND kind <> 'probe'`,
  );
  return firstUnprocessed == null ? lastCallId(db) : firstUnprocessed - 1;
}

/** Returns when the last call was sent (ISO 8601), or null if there is no call. */
export function lastCallTime(db: Database): string | null {
  return value<string>(db, 'SELECT sent_at FROM _call ORDER BY call_id DESC LIMIT 1') ?? null;
}

/** Moves calls that are dated after `now` (ISO 8601) to that time. Returns their number. */
export function redateCalls(db: Database, now: string): number {
  return run(db, 'UPDATE _call SET sent_at = @now WHERE sent_at > @now', { now }).changes;
}

/**
 * Returns whether each of the last two calls got either a 404 or a response that is not JSON. If so, the base URL
 * probably is, or was, wrong.
 */
export function isAddressDoubted(db: Database): boolean {
  const latest = values<0 | 1>(
    db,
    `SELECT outcome = 'broken' AND (status = 404 OR status BETWEEN 200 AND 299)
     FROM _call WHERE kind <> 'probe' ORDER BY call_id DESC LIMIT 2`,
  );
  return latest.length === 2 && latest.every((isDoubtful) => isDoubtful === 1);
}
