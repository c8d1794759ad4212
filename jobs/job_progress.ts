import type { Logger } from 'pino';
import type { Outcome } from '../src/outcome.ts';
import type { RunTotals } from '../src/run_totals.ts';
import type { MirrorJob } from './queue.ts';

/** Reports one job's run in the worker's log and on the dashboard. */
export interface JobProgress {
  /** The id of the run in `_run`; null if no run has started. */
  readonly runId: number | null;
  started(runId: number): void;
  loaded(totals: RunTotals, outcomes: readonly Outcome[]): void;
  /** Adds a line to the job's log on the dashboard. */
  note(line: string): void;
}

export function openJobProgress(job: MirrorJob, log: Logger): JobProgress {
  let runId: number | null = null;
  let updatedAtMs = 0;
  let isUpdating = false;
  let notes = 0;
  // If FLUSHALL has removed the job, the run continues anyway, and the warehouse stores its result.
  const notUpdated = (error: unknown) => log.debug({ run: runId, err: error }, 'progress not updated');
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
    loaded: (totals, outcomes) => {
      for (const { callId, call, verdict, status, durationMs } of outcomes) {
        const line = { run: runId, call: callId, kind: call.kind, outcome: verdict.is, status };
        if ('why' in verdict) {
          log.warn({ ...line, ms: Math.round(durationMs), why: verdict.why }, 'call failed');
          note(`call ${callId} failed: ${verdict.why}`);
        } else log.debug({ ...line, ms: Math.round(durationMs) }, 'call');
      }
      const receivedAtMs = Math.max(
        ...outcomes.map(({ sentAt, durationMs }) => Date.parse(sentAt) + durationMs),
      );
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

const PROGRESS_EVERY_MS = 1000;
// This limit prevents many failed calls from filling Redis with log lines.
const MAX_NOTES = 100;
