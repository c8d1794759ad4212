import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import type { RowOf } from './table.ts';
import { RUN } from './tables.ts';

export type RunRow = RowOf<typeof RUN>;
export type RunCounts = Pick<RunRow, 'calls' | 'new' | 'changed' | 'gone' | 'quarantined'>;

/** Adds a row to `_run`, which has one row for each run of a command that makes calls or rebuilds tables. */
export function startRun(
  db: Database,
  run: { command: string; owner: string | null; nowMs: number },
): number {
  const { lastInsertRowid } = db
    .prepare('INSERT INTO _run (command, owner, started_at) VALUES (?, ?, ?)')
    .run(run.command, run.owner, isoTime(run.nowMs));
  return Number(lastInsertRowid);
}

/** Records the end of a run. The run totals are already complete, because they are updated with each batch. */
export function finishRun(
  db: Database,
  run: { runId: number; ended: string; error?: string | null; nowMs: number },
): void {
  db.prepare('UPDATE _run SET ended_at = ?, ended = ?, error = ? WHERE run_id = ?').run(
    isoTime(run.nowMs),
    run.ended,
    run.error ?? null,
    run.runId,
  );
}

/** Adds a batch's results to the run totals. Call `add` in the batch's transaction. */
export function runCounter(db: Database) {
  const add = db.prepare(
    'UPDATE _run SET calls = calls + @calls, new = new + @new, changed = changed + @changed, gone = gone + @gone, quarantined = quarantined + @quarantined WHERE run_id = @runId',
  );
  return {
    add: (runId: number, counts: RunCounts): void => {
      add.run({ runId, ...counts });
    },
  };
}

/** Returns the last `most` runs, newest first. */
export function recentRuns(db: Database, most: number): RunRow[] {
  return db.prepare(`${SELECT_RUN} ORDER BY run_id DESC LIMIT ?`).all(most) as RunRow[];
}

/**
 * Returns when the last run that ended for the reason `ended` before `beforeRunId` ended, or null if there is no such
 * run.
 */
export function lastEndedAt(db: Database, ended: string, beforeRunId: number): string | null {
  const last = db.prepare<[string, number], string>(
    `SELECT ended_at FROM _run
     WHERE ended = ? AND run_id < ? AND ended_at IS NOT NULL ORDER BY run_id DESC LIMIT 1`,
  );
  return last.pluck().get(ended, beforeRunId) ?? null;
}

export const SELECT_RUN = `SELECT ${RUN.selected()} FROM _run`;
