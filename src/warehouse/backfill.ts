import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';

export type BackfillItemKind = 'entity' | 'name' | 'query' | 'prefix';

export type BackfillItemState = (typeof STATES)[number];

const STATES = ['open', 'fresh', 'found', 'gone', 'forgotten', 'not_found', 'ambiguous', 'failed'] as const;

/** One entry in a backfill. */
export interface BackfillItem {
  readonly kind: BackfillItemKind;
  /** The search parameter for a query or prefix; null for other kinds. */
  readonly searchedBy: 'name' | 'identifier' | null;
  readonly given: string;
}

export interface BackfillItemRow extends BackfillItem {
  readonly position: number;
  readonly state: BackfillItemState;
  readonly entityId: string | null;
  readonly name: string | null;
  /** A JSON list of matching companies with scores, best match first; null if the name is not ambiguous. */
  readonly candidates: string | null;
  readonly note: string | null;
  readonly callId: number | null;
}

export interface BackfillRow {
  readonly backfillId: number;
  readonly title: string;
  readonly withRecords: boolean;
  readonly freshAfter: string;
  readonly afterCallId: number;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly cancelledAt: string | null;
}

export interface NewBackfill {
  readonly title: string;
  readonly orderHash: string;
  readonly withRecords: boolean;
  readonly freshAfterMs: number;
  readonly afterCallId: number;
  readonly nowMs: number;
}

/** An unfinished backfill that is queued for the worker. */
export interface QueuedBackfill {
  readonly backfillId: number;
  readonly queuedAt: string;
  /** The maximum number of calls since `queuedAt`; null if there is no limit. */
  readonly maxCalls: number | null;
}

/** A backfill item's result. */
export interface SettledItem {
  readonly position: number;
  readonly state: BackfillItemState;
  readonly entityId: string | null;
  readonly name: string | null;
  readonly candidates: string | null;
  readonly note: string | null;
}

const SELECT = `SELECT backfill_id AS backfillId, title, with_records AS withRecords, fresh_after AS freshAfter,
  after_call_id AS afterCallId, created_at AS createdAt, finished_at AS finishedAt, cancelled_at AS cancelledAt
  FROM _backfill`;

/** Reads and writes `_backfill` and `_backfill_wish` (the backfill items). */
export function backfillTable(db: Database) {
  const find = db.prepare<[number], RawBackfill>(`${SELECT} WHERE backfill_id = ?`);
  const unfinished = db.prepare<[], RawBackfill>(
    `${SELECT} WHERE finished_at IS NULL AND cancelled_at IS NULL ORDER BY backfill_id`,
  );
  const unfinishedSameOrder = db.prepare<[string], RawBackfill>(
    `${SELECT} WHERE order_hash = ? AND finished_at IS NULL AND cancelled_at IS NULL ORDER BY backfill_id DESC`,
  );
  const insert = db.prepare<[Inserted]>(
    `INSERT INTO _backfill (title, order_hash, with_records, fresh_after, after_call_id, created_at)
     VALUES (@title, @orderHash, @records, @freshAfter, @afterCallId, @createdAt)`,
  );
  const addItem = db.prepare<[BackfillItem & { backfillId: number; position: number }]>(
    `INSERT INTO _backfill_wish (backfill_id, position, kind, searched_by, given)
     VALUES (@backfillId, @position, @kind, @searchedBy, @given)`,
  );
  const settle = db.prepare<[SettledItem & { backfillId: number }]>(
    `UPDATE _backfill_wish SET state = @state, entity_id = @entityId, name = @name, candidates = @candidates, note = @note
     WHERE backfill_id = @backfillId AND position = @position`,
  );
  const open = db.prepare<[number, BackfillItemKind], BackfillItemRow>(
    `${SELECT_ITEM} WHERE backfill_id = ? AND kind = ? AND state = 'open' ORDER BY position`,
  );
  const items = db.prepare<[number], BackfillItemRow>(
    `${SELECT_ITEM} WHERE backfill_id = ? ORDER BY position`,
  );
  const counts = db.prepare<[number], { state: BackfillItemState; n: number }>(
    'SELECT state, count(*) AS n FROM _backfill_wish WHERE backfill_id = ? GROUP BY state',
  );
  const finish = db.prepare(
    'UPDATE _backfill SET finished_at = ? WHERE backfill_id = ? AND finished_at IS NULL',
  );
  const cancel = db.prepare(
    'UPDATE _backfill SET cancelled_at = ? WHERE backfill_id = ? AND finished_at IS NULL AND cancelled_at IS NULL',
  );
  return {
    find: (backfillId: number): BackfillRow | null => backfillIn(find.get(backfillId)),
    unfinished: (): BackfillRow[] => unfinished.all().flatMap((row) => backfillIn(row) ?? []),
    /** Returns the unfinished backfill with this `order_hash`, or null if there is none. */
    unfinishedOf: (orderHash: string): BackfillRow | null => backfillIn(unfinishedSameOrder.get(orderHash)),
    create: (order: NewBackfill, wanted: Iterable<BackfillItem>): number => {
      const { title, orderHash, afterCallId, freshAfterMs, nowMs } = order;
      const times = { freshAfter: isoTime(freshAfterMs), createdAt: isoTime(nowMs) };
      const records = order.withRecords ? 1 : 0;
      const backfillId = Number(
        insert.run({ title, orderHash, afterCallId, records, ...times }).lastInsertRowid,
      );
      let position = 0;
      for (const item of wanted) addItem.run({ ...item, backfillId, position: ++position });
      return backfillId;
    },
    settle: (backfillId: number, settled: SettledItem): void => {
      settle.run({ backfillId, ...settled });
    },
    /** Returns the open items of one kind, in input order. */
    open: (backfillId: number, kind: BackfillItemKind): BackfillItemRow[] => open.all(backfillId, kind),
    items: (backfillId: number): IterableIterator<BackfillItemRow> => items.iterate(backfillId),
    counts: (backfillId: number): Record<BackfillItemState, number> =>
      Object.fromEntries([
        ...NONE,
        ...counts.all(backfillId).map(({ state, n }) => [state, n] as const),
      ]) as Record<BackfillItemState, number>,
    finish: (backfillId: number, nowMs: number): void => {
      finish.run(isoTime(nowMs), backfillId);
    },
    /** Returns false if the backfill is already finished or cancelled. */
    cancel: (backfillId: number, nowMs: number): boolean =>
      cancel.run(isoTime(nowMs), backfillId).changes === 1,
  };
}

/** Queues a backfill for the worker. */
export function queueBackfill(db: Database, { backfillId, queuedAt, maxCalls }: QueuedBackfill): void {
  db.prepare('UPDATE _backfill SET queued_at = ?, queued_max_calls = ? WHERE backfill_id = ?').run(
    queuedAt,
    maxCalls,
    backfillId,
  );
}

/** Removes a backfill from the worker's queue, for example because its call limit is reached. */
export function unqueueBackfill(db: Database, backfillId: number): void {
  db.prepare('UPDATE _backfill SET queued_at = NULL, queued_max_calls = NULL WHERE backfill_id = ?').run(
    backfillId,
  );
}

/** Returns the unfinished backfills that are queued for the worker. */
export function queuedBackfills(db: Database): QueuedBackfill[] {
  return db
    .prepare<[], QueuedBackfill>(
      `SELECT backfill_id AS backfillId, queued_at AS queuedAt, queued_max_calls AS maxCalls FROM _backfill
       WHERE queued_at IS NOT NULL AND finished_at IS NULL AND cancelled_at IS NULL ORDER BY backfill_id`,
    )
    .all();
}

type RawBackfill = Omit<BackfillRow, 'withRecords'> & { readonly withRecords: 0 | 1 };

interface Inserted extends Pick<NewBackfill, 'title' | 'orderHash' | 'afterCallId'> {
  readonly freshAfter: string;
  readonly createdAt: string;
  readonly records: 0 | 1;
}

function backfillIn(row: RawBackfill | undefined): BackfillRow | null {
  return row === undefined ? null : { ...row, withRecords: row.withRecords === 1 };
}

const SELECT_ITEM = `SELECT position, kind, searched_by AS searchedBy, given, state, entity_id AS entityId, name,
  candidates, note, call_id AS callId FROM _backfill_wish`;

const NONE = STATES.map((state) => [state, 0] as const);
