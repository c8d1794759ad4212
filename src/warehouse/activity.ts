import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { type RunRow, SELECT_RUN } from './run.ts';

/** Facts about earlier runs, from which the worker decides which commands are due. */

/** Returns a command's last run, finished or not. Returns null if the command has never run. */
export function lastRunOf(db: Database, command: string): RunRow | null {
  const row = db.prepare(`${SELECT_RUN} WHERE command = ? ORDER BY run_id DESC LIMIT 1`).get(command) as
    | RunRow
    | undefined;
  return row ?? null;
}

/** Returns when (UTC) the command last ended a run that found new or changed companies. Returns null if none has. */
export function lastFindOf(db: Database, command: string): string | null {
  const endedAt = db
    .prepare(
      'SELECT ended_at FROM _run WHERE command = ? AND (new > 0 OR changed > 0) AND ended_at IS NOT NULL ORDER BY run_id DESC LIMIT 1',
    )
    .pluck()
    .get(command);
  return (endedAt as string | undefined) ?? null;
}

/** Returns when (UTC) the registry count was last seen to change, or null if it has never changed. */
export function statisticsChangedAt(db: Database): string | null {
  const observedAt = db
    .prepare(
      `SELECT observed_at FROM (
         SELECT observed_at, _call_id, total, lag(total) OVER (ORDER BY _call_id) AS before FROM registry_stats
       )
       WHERE before IS NOT NULL AND total IS NOT before ORDER BY _call_id DESC LIMIT 1`,
    )
    .pluck()
    .get();
  return (observedAt as string | undefined) ?? null;
}

/** Counts the calls that a command's runs have made since `sinceMs`. */
export function callsSpentSince(db: Database, command: string, sinceMs: number): number {
  return db
    .prepare('SELECT coalesce(sum(calls), 0) FROM _run WHERE command = ? AND started_at >= ?')
    .pluck()
    .get(command, isoTime(sinceMs)) as number;
}

export interface CallCount {
  readonly kind: string;
  readonly outcome: string;
  readonly calls: number;
}

/** Returns the largest id up to which every call is processed, or 0 if there is none. */
export function lastProcessedCallId(db: Database): number {
  return db
    .prepare(
      `SELECT coalesce(
         (SELECT min(call_id) - 1 FROM _call INDEXED BY _call_received
          WHERE outcome = 'received' AND kind <> 'probe'),
         (SELECT max(call_id) FROM _call), 0)`,
    )
    .pluck()
    .get() as number;
}

/** Counts all processes' calls with ids above `after` and up to `upTo`, by kind and outcome. */
export function callsBetween(db: Database, after: number, upTo: number): CallCount[] {
  return db
    .prepare(
      'SELECT kind, outcome, count(*) AS calls FROM _call WHERE call_id > ? AND call_id <= ? GROUP BY kind, outcome',
    )
    .all(after, upTo) as CallCount[];
}

/**
 * Returns when (UTC) a command's last successful run ended. If `command` is null, runs of all commands count. Returns
 * null if no run has succeeded.
 */
export function lastSuccessAt(db: Database, command: string | null = null): string | null {
  return lastSuccess(db, '@command IS NULL OR command = @command', { command });
}

/**
 * Returns when (UTC) the last successful run with calls ended, which shows that the upstream accepted the key. A run
 * without calls also ends without a failure while the key is refused. Returns null if there is no such run.
 */
export function keyAcceptedAt(db: Database): string | null {
  return lastSuccess(db, 'calls > 0', {});
}

function lastSuccess(db: Database, condition: string, values: object): string | null {
  const endedAt = db.prepare<[object], string>(
    `SELECT ended_at FROM _run
     WHERE ended IN ('done', 'allowance', 'max_calls', 'max_minutes') AND (${condition})
     ORDER BY run_id DESC LIMIT 1`,
  );
  return endedAt.pluck().get(values) ?? null;
}

/** Counts the open quarantine entries. An entry is a whole response or one item in it. */
export function openQuarantineCount(db: Database): number {
  return db.prepare("SELECT count(*) FROM _quarantine WHERE state = 'open'").pluck().get() as number;
}
