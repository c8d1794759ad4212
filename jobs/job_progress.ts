import type { Logger } from 'pino';
import type { Outcome } from '../src/outcome.ts';
import type { RunTotals } from '../src/run_totals.ts';
import type { MirrorJob } from './queue.ts';

/** Reports the run of one job in the worker's log, and on the dashboard as the job's progress and log lines. */
export interface JobProgress {
  /** The id of the run in `_run`; null: no run has started. */
  readonly runId: number | null;
  started(runId: number): void;
  loaded(totals: RunTotals, last: Outcome): void;
  /** Adds a line to the job's log on the dashboard. */
  note(line: string): void;
}

export function openJobProgress(job: MirrorJob, log: Logger): JobProgress {
  let runId: number | null = null;
  let updatedAtMs = 0;
  let isUpdating = false;
  // If a FLUSHALL has removed the job, the run continues anyway, and the warehouse stores its result.
  const notUpdated = (error: unknown) => log.debug({ run: runId, err: error }, 'progress not updated');
  let notes = 0;
  const note = (line: string) => {
    notes += 1;
    if (notes <= MAX_NOTES) void job.log(line).catch(notUpdated);
  };
  return {
    get runId() {
      return runId;
    },
    note,
    started: (id) => {
      runId = id;
      log.info({ run: id }, 'run started');
      note(`run ${id} started`);
    },
    loaded: (totals, last) => {
      logOutcome(log, runId, last);
      if ('why' in last.verdict) note(`call ${last.callId} failed: ${last.verdict.why}`);
      const receivedAtMs = Date.parse(last.sentAt) + last.durationMs;
      if (isUpdating || receivedAtMs - updatedAtMs < PROGRESS_EVERY_MS) return;
      updatedAtMs = receivedAtMs;
      isUpdating = true;
      const { calls, listed, fetched, changed, failed } = totals;
      job
        .updateProgress({ run: runId, calls, new: listed, fetched, changed, failed })
        .catch(notUpdated)
        .finally(() => {
          isUpdating = false;
        });
    },
  };
}

function logOutcome(log: Logger, run: number | null, outcome: Outcome): void {
  const { callId, call, verdict, status, durationMs } = outcome;
  const line = {
    ...{ run, call: callId, kind: call.kind, outcome: verdict.is },
    ...{ status, ms: Math.round(durationMs) },
  };
  if ('why' in verdict) log.warn({ ...line, why: verdict.why }, 'call failed');
  else log.debug(line, 'call');
}

const PROGRESS_EVERY_MS = 1000;
// A limit, so that an upstream whose calls all fail does not fill Redis with log lines.
const MAX_NOTES = 100;
