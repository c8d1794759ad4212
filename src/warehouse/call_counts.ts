import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { HOUR_MS } from '../durations.ts';
import { lowerBound } from '../names/ordered_texts.ts';
import { rows, value } from '../sqlite/statements.ts';
import type { RunRow } from './run.ts';
import type { RowOf } from './table.ts';
import { CALL } from './tables.ts';

/** Counts and lists calls for reports. */

/**
 * The condition for calls that cost a unit. A call without a valid URL costs none. It is stored without a status and
 * with a duration of 0.
 */
const COST_A_UNIT = 'NOT (status IS NULL AND ms = 0)';

/** Counts the calls that cost a unit. */
export function spentCalls(db: Database): number {
  return value<number>(db, `SELECT count(*) FROM _call WHERE ${COST_A_UNIT}`) ?? 0;
}

/**
 * Counts the calls that cost a unit, by minute, oldest minute first. The minute that includes `border` (ISO 8601) is
 * split there into two parts. `time` is when the last call in the minute or part was sent.
 */
export function spentCallsByTime(
  db: Database,
  border: string,
): { readonly time: string; readonly calls: number }[] {
  return rows(
    db,
    `SELECT max(sent_at) AS time, count(*) AS calls FROM _call WHERE ${COST_A_UNIT}
     GROUP BY substr(sent_at, 1, 16), sent_at > ? ORDER BY 1`,
    border,
  );
}

export interface CallCount {
  readonly kind: string;
  readonly outcome: string;
  readonly calls: number;
}

/** Counts all processes' calls with ids above `after` and up to `upTo`, by kind and outcome. */
export function callsBetween(db: Database, after: number, upTo: number): CallCount[] {
  return countCalls(db, 'call_id > @after AND call_id <= @upTo', { after, upTo });
}

/** Counts a run's calls by kind and outcome. */
export function callsOfRun(db: Database, run: RunRow): CallCount[] {
  return countCalls(db, OF_RUN, ofRun(db, run));
}

function countCalls(db: Database, condition: string, bound: object): CallCount[] {
  const sql = `SELECT kind, outcome, count(*) AS calls FROM _call WHERE ${condition} GROUP BY 1, 2 ORDER BY 1, 2`;
  return rows(db, sql, bound);
}

const SHOWN = [
  ...(['callId', 'kind', 'target', 'reason', 'sentAt', 'ms'] as const),
  ...(['status', 'outcome', 'rows', 'new', 'changed', 'note'] as const),
];

/** A call that a run made. */
export type RunCall = Pick<RowOf<typeof CALL>, (typeof SHOWN)[number]>;

/** Returns a run's calls, newest first. `onlyFailed` excludes calls that returned a result. */
export function listCallsOfRun(
  db: Database,
  run: RunRow,
  { most, onlyFailed = false }: { most: number; onlyFailed?: boolean },
): RunCall[] {
  return rows(
    db,
    `SELECT ${CALL.selected(undefined, SHOWN)} FROM _call
     WHERE ${OF_RUN} AND (@onlyFailed = 0 OR outcome NOT IN ('ok', 'received', 'absent', 'gone'))
     ORDER BY call_id DESC LIMIT @most`,
    { ...ofRun(db, run), most, onlyFailed: onlyFailed ? 1 : 0 },
  );
}

// `_call` has no index on the run, so a run's calls are found by time.
const OF_RUN = 'call_id >= @first AND call_id < @end AND run_id = @runId';

function ofRun(db: Database, { runId, startedAt, endedAt }: RunRow) {
  const nextStart = value<string | null>(db, 'SELECT min(started_at) FROM _run WHERE run_id > ?', runId);
  const end = endedAt ?? nextStart ?? LAST_TIME;
  return {
    runId,
    first: firstIdSince(db, CALL_TIMES, Date.parse(startedAt) - MARGIN_MS),
    end: firstIdSince(db, CALL_TIMES, Date.parse(end) + MARGIN_MS),
  };
}

const CALL_TIMES = { table: '_call', id: 'call_id', time: 'sent_at' };
/** The response to a call can be stored after those to later calls. */
const MARGIN_MS = HOUR_MS;
const LAST_TIME = isoTime(Date.UTC(2200, 0, 1));

/** The calls with the same kind and outcome in one period. */
export interface CallBucket {
  /** The start of the period in epoch milliseconds. */
  readonly atMs: number;
  readonly kind: string;
  readonly outcome: string;
  readonly calls: number;
  /** How many new companies or records these calls returned. */
  readonly fresh: number;
  readonly changed: number;
}

export interface CallStretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucketMs: number;
}

/** Counts the calls in periods of equal length. */
export function callBuckets(db: Database, { fromMs, toMs, bucketMs }: CallStretch): CallBucket[] {
  return rows(
    db,
    `SELECT unixepoch(sent_at) * 1000 / @bucketMs * @bucketMs AS atMs, kind, outcome, count(*) AS calls, sum(new) AS fresh,
            sum(changed) AS changed
     FROM _call WHERE ${SENT} GROUP BY 1, 2, 3 ORDER BY 1`,
    { ...sent(db, fromMs, toMs), bucketMs },
  );
}

/** Counts the calls that were sent from `fromMs` until before `toMs`. */
export function sentCalls(db: Database, fromMs: number, toMs: number): number {
  return value<number>(db, `SELECT count(*) FROM _call WHERE ${SENT}`, sent(db, fromMs, toMs)) ?? 0;
}

const SENT = 'call_id >= @first AND sent_at >= @from AND sent_at < @to';

function sent(db: Database, fromMs: number, toMs: number) {
  const first = firstIdSince(db, CALL_TIMES, fromMs - MARGIN_MS);
  return { first, from: isoTime(Math.max(0, fromMs)), to: isoTime(toMs) };
}

/** Returns when the first call was sent (epoch milliseconds), or null if there are none. */
export function firstCallMs(db: Database): number | null {
  const first = value<string>(db, 'SELECT sent_at FROM _call ORDER BY call_id LIMIT 1');
  return first === undefined ? null : Date.parse(first);
}

/** A table whose rows are written nearly in the order of their times. `time` is a column of ISO 8601 texts. */
interface Timeline {
  readonly table: string;
  readonly id: string;
  readonly time: string;
}

/**
 * Returns the id from which rows are as new as `sinceMs`, as far as their order is that of their times. A binary search
 * replaces an index of the times.
 */
export function firstIdSince(db: Database, { table, id, time }: Timeline, sinceMs: number): number {
  const since = isoTime(Math.max(0, sinceMs));
  const sql = `SELECT ${time} FROM ${table} WHERE ${id} >= ? ORDER BY ${id} LIMIT 1`;
  const first = value<number | null>(db, `SELECT min(${id}) FROM ${table}`) ?? 0;
  const last = value<number | null>(db, `SELECT max(${id}) FROM ${table}`) ?? 0;
  const isOlder = (index: number) => (value<string>(db, sql, first + index) ?? since) < since;
  return first + lowerBound(last + 1 - first, isOlder);
}
