import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { rows, run, values } from '../sqlite/statements.ts';
import { IS_UNEXPECTED } from './failure.ts';
import { GONE_SINCE } from './records_due.ts';
import type { RowOf } from './table.ts';
import { BACKFILL, BACKFILL_ITEM } from './tables.ts';

export type BackfillItemRow = Omit<RowOf<typeof BACKFILL_ITEM>, 'backfillId'>;
/** One entry in a backfill. */
export type BackfillItem = Pick<BackfillItemRow, 'kind' | 'searchedBy' | 'given'>;
export type BackfillItemState = BackfillItemRow['state'];
/** A backfill item's result. */
export type SettledItem = Omit<BackfillItemRow, 'kind' | 'searchedBy' | 'given' | 'callId'>;

const STATES = [
  ...(['open', 'fresh', 'found', 'gone'] as const),
  ...(['forgotten', 'not_found', 'ambiguous', 'failed'] as const),
] satisfies readonly BackfillItemState[];

export type BackfillRow = RowOf<typeof BACKFILL>;

const NEW = ['title', 'orderHash', 'withRecords', 'freshAfter', 'afterCallId', 'createdAt'] as const;
export type NewBackfill = Pick<BackfillRow, (typeof NEW)[number]>;

/** An unfinished backfill that is queued for the worker. */
export interface QueuedBackfill {
  readonly backfillId: number;
  readonly queuedAt: string;
  /** The number of calls that the worker may still make; null if there is no limit. */
  readonly maxCalls: number | null;
}

const IS_UNFINISHED = 'finished_at IS NULL AND cancelled_at IS NULL';

/** Reads and writes `_backfill` and `_backfill_wish` (the backfill items). */
export class Backfills {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  find(backfillId: number): BackfillRow | null {
    return this.#select('backfill_id = ?', backfillId)[0] ?? null;
  }

  unfinished(): BackfillRow[] {
    return this.#select(IS_UNFINISHED);
  }

  /** Returns the unfinished backfill with this `order_hash`, or null if there is none. */
  unfinishedOf(orderHash: string): BackfillRow | null {
    return this.#select(`order_hash = ? AND ${IS_UNFINISHED}`, orderHash).at(-1) ?? null;
  }

  #select(condition: string, ...bound: readonly unknown[]): BackfillRow[] {
    return BACKFILL.select(this.#db, `WHERE ${condition} ORDER BY backfill_id`).all(...bound);
  }

  /** Adds a backfill with its items, and returns its id. */
  create(order: NewBackfill, wanted: Iterable<BackfillItem>): number {
    const backfillId = Number(BACKFILL.insert(this.#db, { properties: NEW })(order).lastInsertRowid);
    const addItem = BACKFILL_ITEM.insert(this.#db, {
      properties: ['backfillId', 'position', 'kind', 'searchedBy', 'given'],
    });
    let position = 0;
    for (const item of wanted) addItem({ ...item, backfillId, position: ++position });
    return backfillId;
  }

  settle(backfillId: number, settled: SettledItem): void {
    run(
      this.#db,
      `UPDATE _backfill_wish
       SET state = @state, entity_id = @entityId, name = @name, candidates = @candidates, note = @note
       WHERE backfill_id = @backfillId AND position = @position`,
      { ...settled, backfillId },
    );
  }

  /** Returns the open items, in input order. */
  open(backfillId: number): BackfillItemRow[] {
    const sql = `SELECT ${BACKFILL_ITEM.selected()} FROM _backfill_wish
      WHERE backfill_id = ? AND state = 'open' ORDER BY position`;
    return rows(this.#db, sql, backfillId);
  }

  items(backfillId: number): IterableIterator<BackfillItemRow> {
    return BACKFILL_ITEM.select<[number]>(this.#db, 'WHERE backfill_id = ? ORDER BY position').iterate(
      backfillId,
    );
  }

  counts(backfillId: number): Record<BackfillItemState, number> {
    const counted = rows<{ state: BackfillItemState; n: number }>(
      this.#db,
      'SELECT state, count(*) AS n FROM _backfill_wish WHERE backfill_id = ? GROUP BY state',
      backfillId,
    );
    const all = [...STATES.map((state) => ({ state, n: 0 })), ...counted];
    return Object.fromEntries(all.map(({ state, n }) => [state, n])) as Record<BackfillItemState, number>;
  }

  finish(backfillId: number, nowMs: number): void {
    const sql = 'UPDATE _backfill SET finished_at = ? WHERE backfill_id = ? AND finished_at IS NULL';
    run(this.#db, sql, isoTime(nowMs), backfillId);
  }

  /** Returns false if the backfill is already finished or cancelled. */
  cancel(backfillId: number, nowMs: number): boolean {
    const sql = `UPDATE _backfill SET cancelled_at = ? WHERE backfill_id = ? AND ${IS_UNFINISHED}`;
    return run(this.#db, sql, isoTime(nowMs), backfillId).changes === 1;
  }
}

/** Queues a backfill for the worker. */
export function queueBackfill(db: Database, { backfillId, queuedAt, maxCalls }: QueuedBackfill): void {
  const sql = 'UPDATE _backfill SET queued_at = ?, queued_max_calls = ? WHERE backfill_id = ?';
  run(db, sql, queuedAt, maxCalls, backfillId);
}

/** Stores how many calls the worker may still make for a queued backfill. */
export function limitQueuedBackfill(db: Database, backfillId: number, maxCalls: number): void {
  run(db, 'UPDATE _backfill SET queued_max_calls = ? WHERE backfill_id = ?', maxCalls, backfillId);
}

/** Removes a backfill from the worker's queue, for example because its call limit is reached. */
export function unqueueBackfill(db: Database, backfillId: number): void {
  run(db, 'UPDATE _backfill SET queued_at = NULL, queued_max_calls = NULL WHERE backfill_id = ?', backfillId);
}

/** Returns the unfinished backfills that are queued for the worker, the first one first. */
export function queuedBackfills(db: Database): QueuedBackfill[] {
  return rows(
    db,
    `SELECT backfill_id AS backfillId, queued_at AS queuedAt, queued_max_calls AS maxCalls FROM _backfill
     WHERE queued_at IS NOT NULL AND ${IS_UNFINISHED} ORDER BY queued_at, backfill_id`,
  );
}

/**
 * Settles record items that need no further call. Their company is gone or forgotten, or some process has requested
 * their record recently enough.
 */
export function settleEntities(
  db: Database,
  { backfillId, afterCallId, freshAfter, createdAt }: BackfillRow,
): void {
  run(
    db,
    `UPDATE _backfill_wish SET state = 'forgotten'
     WHERE backfill_id = ? AND kind = 'entity' AND state = 'open'
       AND given IN (SELECT entity_id FROM _forgotten WHERE undone_at IS NULL)`,
    backfillId,
  );
  run(
    db,
    `UPDATE _backfill_wish SET
       state = CASE WHEN k.gone_at IS NOT NULL THEN 'gone' WHEN last.outcome = 'absent' THEN 'not_found' WHEN last.outcome = 'gone' THEN 'gone' ELSE 'found' END,
       entity_id = given, name = k.name, call_id = last.call_id,
       note = CASE WHEN last.outcome = 'absent' AND k.entity_id IS NOT NULL THEN 'known, but the registry no longer returns its record' END
     FROM (
       SELECT target, outcome, max(call_id) AS call_id FROM _call
       WHERE call_id > @afterCallId AND kind = 'entity' AND outcome IN ('ok', 'absent', 'gone') GROUP BY target
     ) AS last LEFT JOIN _company k ON k.entity_id = last.target
     WHERE backfill_id = @backfillId AND kind = 'entity' AND state = 'open' AND given = last.target`,
    { backfillId, afterCallId },
  );
  run(
    db,
    `UPDATE _backfill_wish SET state = CASE WHEN k.gone_at IS NULL THEN 'fresh' ELSE 'gone' END,
       entity_id = given, name = k.name,
       call_id = (SELECT e._call_id FROM entity e WHERE e.entity_id = k.entity_id)
     FROM _company k
     WHERE backfill_id = @backfillId AND kind = 'entity' AND state = 'open' AND k.entity_id = given
       AND k.flagged_at IS NULL AND @freshAfterMs < @createdAtMs
       AND iif(k.gone_at IS NULL, k.fetched_at, ${GONE_SINCE}) >= @freshAfterMs`,
    { backfillId, freshAfterMs: Date.parse(freshAfter), createdAtMs: Date.parse(createdAt) },
  );
}

/**
 * Settles the record items that failed and are still waiting for a retry. Call this function when the backfill ends.
 */
export function settleFailedEntities(db: Database, { backfillId, afterCallId }: BackfillRow): void {
  run(
    db,
    `UPDATE _backfill_wish SET state = 'failed', note = f.why, call_id = f.call_id
     FROM _failure f
     WHERE backfill_id = @backfillId AND _backfill_wish.kind = 'entity' AND state = 'open'
       AND f.kind = 'entity' AND f.target = given AND f.call_id > @afterCallId`,
    { backfillId, afterCallId },
  );
}

/** Returns the ids of companies that were listed but never fetched, in discovery order. */
export function idsNeverFetched(db: Database): string[] {
  const sql = 'SELECT entity_id FROM _company WHERE fetched_at IS NULL AND gone_at IS NULL ORDER BY known_id';
  return values(db, sql);
}

/** Returns the ids of companies whose records were last fetched before `beforeMs`, oldest fetch first. */
export function idsFetchedBefore(db: Database, beforeMs: number): string[] {
  const sql = `SELECT entity_id FROM _company WHERE fetched_at < ? AND gone_at IS NULL
    ORDER BY fetched_at, known_id`;
  return values(db, sql, beforeMs);
}

/** Returns the targets of record and search calls that failed or whose response is in quarantine. */
export function failedTargets(
  db: Database,
): { readonly kind: 'entity' | 'search'; readonly target: string }[] {
  return rows(
    db,
    `SELECT kind, target FROM _failure WHERE kind IN ('entity', 'search') AND ${IS_UNEXPECTED}
     UNION SELECT kind, target FROM _quarantine WHERE state = 'open' AND kind IN ('entity', 'search')
     ORDER BY kind, target`,
  );
}
