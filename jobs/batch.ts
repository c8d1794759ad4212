import { UnrecoverableError } from 'bullmq';
import type { Logger } from 'pino';
import { isoTime } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { MirrorError } from '../src/errors.ts';
import { openWorkspace } from '../src/operations/assemble.ts';
import type { RunReport } from '../src/operations/run.ts';
import type { Outcome } from '../src/outcome.ts';
import { counted } from '../src/report/figures.ts';
import type { RunTotals } from '../src/run_totals.ts';
import { ALL_JOBS } from './all_jobs.ts';
import { type JobData, type JobKind, type JobResult, readJobData } from './job.ts';
import type { MirrorJob } from './queue.ts';

/** One slice of the engine, on behalf of a job. */
export interface Batch {
  readonly config: Config;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** A slice that the queue shall show as failed. Trying it again at once would be in vain. */
export class BatchFailed extends UnrecoverableError {
  /**
   * How far it came: `refused`: the job itself is wrong; `opening`: the files could not be opened or locked;
   * `running`: its run stands in `_run`.
   */
  readonly at: 'refused' | 'opening' | 'running';

  constructor(message: string, at: BatchFailed['at'], cause?: unknown) {
    super(message);
    this.name = 'BatchFailed';
    this.at = at;
    this.cause = cause;
  }
}

/**
 * Runs the engine for one job: only its kinds of calls, bounded in calls and time. It is safe to run again at
 * any moment, because all that it did stands in the warehouse. Throws SliceFailed.
 */
export async function workOn(job: MirrorJob, batch: Batch): Promise<JobResult> {
  const { kind, data } = understood(job);
  const { config, log, signal } = batch;
  const workspace = opened(config);
  const progress = reporter(job, log);
  try {
    const report = await kind.work(workspace, data, {
      focus: config.focus,
      maxCalls: config.worker.job_calls ?? Number.POSITIVE_INFINITY,
      maxMinutes: config.worker.job_time.ms / 60_000,
      signal,
      onStarted: progress.started,
      onProgress: progress.loaded,
    });
    return resultOf(report);
  } catch (error) {
    throw error instanceof BatchFailed ? error : failed(error, progress.hasRun ? 'running' : 'opening');
  } finally {
    workspace.close();
  }
}

/** The result of a job for which no run was needed. */
export function idle(summary: string, ended: string): JobResult {
  const nothing = { calls: 0, new: 0, fetched: 0, changed: 0, gone: 0, quarantined: 0 };
  return { summary, run: null, ended, ...nothing, resumes_at: null };
}

function understood(job: MirrorJob): { kind: JobKind; data: JobData } {
  const kind = ALL_JOBS.find(({ name }) => name === job.name);
  if (kind === undefined)
    throw new BatchFailed(
      `this version knows no job \`${job.name}\`; nothing was done. Remove it from the queue.`,
      'refused',
    );
  try {
    return { kind, data: readJobData(job.data) };
  } catch (error) {
    throw failed(error, 'refused');
  }
}

function opened(config: Config) {
  try {
    return openWorkspace(config);
  } catch (error) {
    throw failed(error, 'opening');
  }
}

/** Throws when the run failed, so that the queue says so too. */
function resultOf(report: RunReport): JobResult {
  const { ending, totals, runId } = report;
  if (ending.ended === 'failed' || ending.ended === 'unauthorised' || ending.ended === 'drift')
    throw new BatchFailed(`run ${runId} ended with ${ending.ended}: ${ending.why}`, 'running');
  if (ending.ended === 'another_run') {
    const { pid, host, takenAt } = ending.holder;
    return idle(
      `another run holds the warehouse (process ${pid} on ${host}, since ${takenAt}); this follows`,
      ending.ended,
    );
  }
  const resumesAtMs = ending.ended === 'allowance' ? ending.resumesAtMs : null;
  const resumes_at = resumesAtMs === null ? null : isoTime(resumesAtMs);
  return {
    summary: summaryOf(report, resumes_at),
    run: runId,
    ended: ending.ended,
    calls: totals.calls,
    new: totals.listed,
    fetched: totals.fetched,
    changed: totals.changed,
    gone: totals.gone,
    quarantined: totals.quarantined,
    resumes_at,
  };
}

function summaryOf({ ending, totals, callsLeft }: RunReport, resumesAt: string | null): string {
  const brought = [
    totals.listed > 0 && `${counted(totals.listed, 'new company', 'new companies')}`,
    totals.fetched > 0 && `${counted(totals.fetched, 'new record')}`,
    totals.changed > 0 && `${counted(totals.changed, 'changed record')}`,
    totals.gone > 0 && `${totals.gone} gone`,
    totals.quarantined > 0 && `${totals.quarantined} in quarantine`,
  ].filter((part) => part !== false);
  const calls = totals.calls === 0 ? 'no call' : counted(totals.calls, 'call');
  const left = callsLeft === Number.POSITIVE_INFINITY ? '' : `; ${counted(callsLeft, 'call')} left`;
  return `${calls}: ${brought.length === 0 ? 'nothing new' : brought.join(', ')}; ${REASONS[ending.ended](resumesAt)}${left}`;
}

const REASONS: Readonly<Record<RunReport['ending']['ended'], (resumesAt: string | null) => string>> = {
  done: () => 'nothing more is due',
  allowance: (resumesAt) =>
    resumesAt === null ? 'the allowance is spent for good' : `the allowance is spent until ${resumesAt}`,
  max_calls: () => 'its calls are used up',
  max_minutes: () => 'its time is over',
  interrupted: () => 'interrupted',
  another_run: () => 'another run is at work',
  unauthorised: () => 'the key was refused',
  drift: () => 'the upstream has changed',
  failed: () => 'failed',
};

/** Shows on the dashboard how far it is, once a second at most, and in the log every call. */
function reporter(job: MirrorJob, log: Logger) {
  let runId: number | null = null;
  let shownMs = 0;
  let isShowing = false;
  return {
    get hasRun() {
      return runId !== null;
    },
    started: (id: number) => {
      runId = id;
      log.info({ run: id }, 'started');
    },
    loaded: (totals: RunTotals, last: Outcome) => {
      logOutcome(log, runId, last);
      if (isShowing || Date.parse(last.sentAt) + last.durationMs - shownMs < PROGRESS_EVERY_MS) return;
      shownMs = Date.parse(last.sentAt) + last.durationMs;
      isShowing = true;
      const { calls, listed, fetched, changed, failed: failures } = totals;
      job
        .updateProgress({ run: runId, calls, new: listed, fetched, changed, failed: failures })
        // The queue may have lost the job (FLUSHALL): the run goes on, and its result stands in the warehouse.
        .catch((error: unknown) => log.debug({ run: runId, err: error }, 'progress not shown'))
        .finally(() => {
          isShowing = false;
        });
    },
  };
}

function logOutcome(
  log: Logger,
  runId: number | null,
  { callId, call, verdict, status, durationMs }: Outcome,
): void {
  const line = {
    run: runId,
    call: callId,
    kind: call.kind,
    outcome: verdict.is,
    status,
    ms: Math.round(durationMs),
  };
  if ('why' in verdict) log.warn({ ...line, why: verdict.why }, 'call brought nothing');
  else log.debug(line, 'call');
}

function failed(error: unknown, at: BatchFailed['at']): BatchFailed {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof MirrorError && error.hint !== null ? `. ${error.hint}` : '';
  return new BatchFailed(`${message}${hint}`, at, error);
}

const PROGRESS_EVERY_MS = 1000;
