import { count, counted, duration, localTime } from '../../report/figures.ts';
import { hasFailed, runEnding } from '../../report/run_ending.ts';
import { backfillTable } from '../../warehouse/backfill.ts';
import { waitingCount } from '../../warehouse/health.ts';
import { recentRuns } from '../../warehouse/run.ts';
import { orderData, settledText } from '../backfill/backfill_text.ts';
import { printable } from '../table.ts';
import { ago, section, table } from './section.ts';

/** The sections about runs, schedules and open work. */

export const quarantinedSection = section({
  key: 'quarantined',
  empty: 0,
  read: ({ mirror }) => mirror?.snapshot.quarantined ?? null,
  json: (quarantined) => quarantined,
});

export const waitingSection = section({
  key: 'waiting',
  empty: 0,
  read: ({ mirror, nowMs }) => (mirror === null ? null : waitingCount(mirror.db, nowMs)),
  json: (waiting) => waiting,
  lines: (waiting) =>
    waiting === 0 ? [] : [`  waiting    ${counted(waiting, 'target')} failed and will be retried`],
});

export const backfillSection = section({
  key: 'backfills',
  empty: [],
  read({ mirror }) {
    if (mirror === null) return null;
    const backfills = backfillTable(mirror.db);
    return backfills
      .unfinished()
      .map((backfill) => ({ backfill, counts: backfills.counts(backfill.backfillId) }));
  },
  json: (rows) => rows.map(({ backfill, counts }) => orderData(backfill, counts)),
  table(rows, { output }) {
    if (rows.length === 0) return null;
    return table(
      [
        { header: 'backfill', align: 'right' },
        { header: 'request', shrinks: true },
        { header: 'settled', align: 'right' },
      ],
      rows.map(({ backfill, counts }) => [String(backfill.backfillId), backfill.title, settledText(counts)]),
      output,
    );
  },
});

export const workerSection = section({
  key: 'worker',
  empty: null,
  read: ({ worker }) => worker,
  json: (worker) => worker,
  lines({ leader, paused }, { output }) {
    if (leader === null) return [`  worker     ${output.style('yellow', 'not running')}`];
    const since = localTime(Date.parse(leader.since));
    const pause = paused
      ? output.style('yellow', '; the queue is paused, resume: registry-mirror worker resume')
      : '';
    return [`  worker     process ${leader.pid} on ${printable(leader.host)}, since ${since}${pause}`];
  },
  table: ({ schedules }, { nowMs, output }) =>
    table(
      [
        { header: 'schedule' },
        { header: 'pattern', optional: true },
        { header: 'next' },
        { header: 'last' },
        { header: 'ended', optional: true },
        { header: 'heartbeat', optional: true },
      ],
      schedules.map(({ name, pattern, timezone, next_at, last_at, last_ended, heartbeat_at }) => [
        name,
        `${pattern} ${timezone}`,
        next_at === null ? 'none' : localTime(Date.parse(next_at)),
        last_at === null ? 'never' : ago(last_at, nowMs),
        last_ended ?? '',
        heartbeat_at === null ? 'none' : ago(heartbeat_at, nowMs),
      ]),
      output,
    ),
});

export const runSection = section({
  key: 'runs',
  empty: [],
  read: ({ mirror, runs }) =>
    mirror === null ? null : { runs: recentRuns(mirror.db, runs), isRunning: mirror.snapshot.isHeld },
  json: ({ runs }) =>
    runs.map((run) => ({
      run_id: run.runId,
      command: run.command,
      started_at: run.startedAt,
      ended_at: run.endedAt,
      ended: run.ended,
      error: run.error,
      calls: run.calls,
      new: run.new,
      changed: run.changed,
      gone: run.gone,
      quarantined: run.quarantined,
    })),
  table({ runs, isRunning }, { output }) {
    if (runs.length === 0) return null;
    return table(
      [
        { header: 'run', align: 'right' },
        { header: 'command' },
        { header: 'started' },
        { header: 'took', align: 'right', optional: true },
        { header: 'ended', shrinks: true, least: 9 },
        { header: 'calls', align: 'right' },
        { header: 'new', align: 'right', optional: true },
        { header: 'changed', align: 'right', optional: true },
        { header: 'gone', align: 'right', optional: true },
      ],
      runs.map((run, at) => [
        String(run.runId),
        run.command,
        localTime(Date.parse(run.startedAt)),
        run.endedAt === null ? '' : duration(Date.parse(run.endedAt) - Date.parse(run.startedAt)),
        runEnding(run, at === 0 && isRunning),
        count(run.calls),
        count(run.new),
        count(run.changed),
        count(run.gone),
      ]),
      output,
      (at) => {
        const run = runs[at];
        return run !== undefined && hasFailed(run);
      },
    );
  },
});
