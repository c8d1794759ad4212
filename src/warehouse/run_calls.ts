import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { DAY_MS } from '../durations.ts';
import type { CallCount } from './activity.ts';
import { IDS_PER_MS } from './page_queries.ts';
import { type RunRow, SELECT_RUN } from './run.ts';
import type { RowOf } from './table.ts';
import { CALL } from './tables.ts';

const SHOWN = [
  ...(['callId', 'kind', 'target', 'reason', 'sentAt', 'ms'] as const),
  ...(['status', 'outcome', 'rows', 'new', 'changed', 'note'] as const),
];

/** A call that a run made. */
export type RunCall = Pick<RowOf<typeof CALL>, (typeof SHOWN)[number]>;

/** Reads a run's calls. `_call` has no index on the run, so calls are found by id, because ids increase over time. */
export function runCalls(db: Database) {
  const find = db.prepare<[number], RunRow>(`${SELECT_RUN} WHERE run_id = ?`);
  const nextStart = db
    .prepare<[number], string | null>('SELECT min(started_at) FROM _run WHERE run_id > ?')
    .pluck();
  const counts = db.prepare<[number, number, number], CallCount>(
    `SELECT kind, outcome, count(*) AS calls FROM _call
     WHERE call_id BETWEEN ? AND ? AND run_id = ? GROUP BY kind, outcome ORDER BY kind, outcome`,
  );
  const list = db.prepare<[number, number, number, 0 | 1, number], RunCall>(
    `SELECT ${CALL.selected(undefined, SHOWN)} FROM _call
     WHERE call_id BETWEEN ? AND ? AND run_id = ?
       AND (? = 0 OR outcome NOT IN ('ok', 'received', 'absent', 'gone'))
     ORDER BY call_id DESC LIMIT ?`,
  );
  const idsOf = ({ startedAt, endedAt, runId }: RunRow): [number, number] => {
    const end = endedAt ?? nextStart.get(runId) ?? LAST_TIME;
    return [(Date.parse(startedAt) - MARGIN_MS) * IDS_PER_MS, (Date.parse(end) + MARGIN_MS) * IDS_PER_MS];
  };
  return {
    /** Returns the run with this id, or null if there is none. */
    find: (runId: number): RunRow | null => find.get(runId) ?? null,
    counts: (run: RunRow): CallCount[] => counts.all(...idsOf(run), run.runId),
    /** Returns the calls, newest first. `onlyFailed` excludes calls that returned a result. */
    list: (run: RunRow, { most, onlyFailed = false }: { most: number; onlyFailed?: boolean }): RunCall[] =>
      list.all(...idsOf(run), run.runId, onlyFailed ? 1 : 0, most),
  };
}

/** Ids increase even if the clock is set back, so a call's id can be later than the end of its run. */
const MARGIN_MS = DAY_MS;
const LAST_TIME = isoTime(Date.UTC(2200, 0, 1));
