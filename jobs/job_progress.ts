import type { Logger } from 'pino';
import type { Outcome } from '../src/outcome.ts';
import type { RunTotals } from '../src/run_totals.ts';
import type { MirrorJob } from './queue.ts';

/** Reports one job's run in the worker's log and on the dashboard. */
export class JobProgress {
  readonly #job: MirrorJob;
  readonly #log: Logger;
  #runId: number | null = null;
  #updatedAtMs = 0;
  #isUpdating = false;
  #notes = 0;

  constructor(job: MirrorJob, log: Logger) {
    this.#job = job;
    this.#log = log;
  }

  /** The id of the run in `_run`; null if no run has started. */
  get runId(): number | null {
    return this.#runId;
  }

  started(runId: number): void {
    this.#runId = runId;
    this.#log.info({ run: runId }, 'run started');
    this.note(`run ${runId} started`);
  }

  loaded(totals: RunTotals, outcomes: readonly Outcome[]): void {
    for (const { callId, call, verdict, status, durationMs } of outcomes) {
      const line = { run: this.#runId, call: callId, kind: call.kind, outcome: verdict.is, status };
      if ('why' in verdict) {
        this.#log.warn({ ...line, ms: Math.round(durationMs), why: verdict.why }, 'call failed');
        this.note(`call ${callId} failed: ${verdict.why}`);
      } else this.#log.debug({ ...line, ms: Math.round(durationMs) }, 'call');
    }
    const receivedAtMs = Math.max(
      ...outcomes.map(({ sentAt, durationMs }) => Date.parse(sentAt) + durationMs),
    );
    if (this.#isUpdating || receivedAtMs - this.#updatedAtMs < PROGRESS_EVERY_MS) return;
    this.#updatedAtMs = receivedAtMs;
    this.#isUpdating = true;
    const { calls, listed, fetched, changed, failed } = totals;
    this.#job
      .updateProgress({ run: this.#runId, calls, new: listed, fetched, changed, failed })
      .catch((error) => this.#notUpdated(error))
      .finally(() => {
        this.#isUpdating = false;
      });
  }

  /** Adds a line to the job's log on the dashboard. */
  note(line: string): void {
    this.#notes += 1;
    if (this.#notes <= MAX_NOTES) void this.#job.log(line).catch((error) => this.#notUpdated(error));
  }

  /** If FLUSHALL has removed the job, the run continues anyway, and the warehouse stores its result. */
  #notUpdated(error: unknown): void {
    this.#log.debug({ run: this.#runId, err: error }, 'progress not updated');
  }
}

const PROGRESS_EVERY_MS = 1000;
// This limit prevents many failed calls from filling Redis with log lines.
const MAX_NOTES = 100;
