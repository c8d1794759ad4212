import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { ENDINGS } from '../ending.ts';
import { row, rows, run, value, values } from '../sqlite/statements.ts';
import type { RowOf } from './table.ts';
import { RUN } from './tables.ts';

/** Reads and writes `_run`, which has one row for each run of a command that makes calls or rebuilds tables. */

export type RunRow = Omit<RowOf<typeof RUN>, 'owner'>;
export type RunCounts = Pick<RunRow, 'calls' | 'new' | 'changed' | 'gone' | 'quarantined'>;

const SHOWN = RUN.properties.filter((one) => one !== 'owner');
const SELECT = `SELECT ${RUN.selected(undefined, SHOWN)} FROM _run`;

/** Adds a run, and returns its id. */
export function startRun(
  db: Database,
  { command, owner, nowMs }: { command: string; owner: string | null; nowMs: number },
): number {
  const sql = 'INSERT INTO _run (command, owner, started_at) VALUES (?, ?, ?)';
  return Number(run(db, sql, command, owner, isoTime(nowMs)).lastInsertRowid);
}

/** Records the end of a run. The run totals are already complete, because they are updated with each batch. */
export function finishRun(
  db: Database,
  {
    runId,
    nowMs,
    ended,
    error = null,
  }: { runId: number; nowMs: number; ended: string; error?: string | null },
): void {
  const sql = 'UPDATE _run SET ended_at = ?, ended = ?, error = ? WHERE run_id = ?';
  run(db, sql, isoTime(nowMs), ended, error, runId);
}

/** Adds a batch's results to the run totals. Call this function in the batch's transaction. */
export function addToRun(db: Database, runId: number, counts: RunCounts): void {
  run(
    db,
    `UPDATE _run SET calls = calls + @calls, new = new + @new, changed = changed + @changed, gone = gone + @gone,
       quarantined = quarantined + @quarantined
     WHERE run_id = @runId`,
    { runId, ...counts },
  );
}

/** Returns the run with this id, or null if there is none. */
export function findRun(db: Database, runId: number): RunRow | null {
  return row<RunRow>(db, `${SELECT} WHERE run_id = ?`, runId) ?? null;
}

/** Returns the last `most` runs, newest first. */
export function recentRuns(db: Database, most: number): RunRow[] {
  return rows(db, `${SELECT} ORDER BY run_id DESC LIMIT ?`, most);
}

/** Returns a command's last run, finished or not. Returns null if the command has never run. */
export function lastRunOf(db: Database, command: string): RunRow | null {
  return row<RunRow>(db, `${SELECT} WHERE command = ? ORDER BY run_id DESC LIMIT 1`, command) ?? null;
}

/** Returns when (UTC) the command last ended a run that found new or changed companies. Returns null if none has. */
export function lastFindOf(db: Database, command: string): string | null {
  return lastEnd(db, 'command = @command AND (new > 0 OR changed > 0)', { command });
}

/**
 * Returns when (UTC) a command's last successful run ended. If `command` is null, runs of all commands count. Returns
 * null if no run has succeeded.
 */
export function lastSuccessAt(db: Database, command: string | null = null): string | null {
  return lastEnd(db, `${IS_SUCCESS} AND (@command IS NULL OR command = @command)`, { command });
}

const SUCCESSES = Object.entries(ENDINGS).flatMap(([ended, { means }]) =>
  means === 'finished' || means === 'paused' ? [`'${ended}'`] : [],
);
const IS_SUCCESS = `ended IN (${SUCCESSES.join(', ')})`;

function lastEnd(db: Database, condition: string, bound: object): string | null {
  const sql = `SELECT ended_at FROM _run WHERE ended_at IS NOT NULL AND ${condition} ORDER BY run_id DESC LIMIT 1`;
  return value<string>(db, sql, bound) ?? null;
}

/**
 * For each killed run before `runId`, returns the time of its last call, or of its start if it made none. A killed run
 * has no recorded end.
 */
export function killedRuns(db: Database, runId: number): string[] {
  return values(
    db,
    `SELECT coalesce((SELECT max(sent_at) FROM _call WHERE _call.run_id = _run.run_id), started_at)
     FROM _run WHERE ended IS NULL AND run_id < ?`,
    runId,
  );
}

/** The runs that started on the same day (UTC) and ended in the same way. */
export interface DayRuns extends Pick<RunCounts, 'new' | 'changed' | 'gone'> {
  /** The UTC date, such as `2027-03-31`. */
  readonly day: string;
  /** Null if the runs were killed. */
  readonly ended: string | null;
  readonly runs: number;
}

export function runsByDay(db: Database, sinceMs: number): DayRuns[] {
  return rows(
    db,
    `SELECT substr(started_at, 1, 10) AS day, ended, count(*) AS runs,
       sum(new) AS new, sum(changed) AS changed, sum(gone) AS gone
     FROM _run WHERE started_at >= ? GROUP BY 1, 2 ORDER BY 1`,
    isoTime(Math.max(0, sinceMs)),
  );
}
