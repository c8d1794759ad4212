import type { Logger } from 'pino';
import { isoTime } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { openWorkspace, type Workspace } from '../src/operations/assemble.ts';
import type { RunReport } from '../src/operations/run_report.ts';
import type { Outcome } from '../src/outcome.ts';
import { counted } from '../src/report/figures.ts';
import type { RunTotals } from '../src/run_totals.ts';
import { finishRun, startRun } from '../src/warehouse/run.ts';
import type { EngineJob, JobContext, JobDefinition, LocalJob } from './job.ts';
import { type JobData, readJobData } from './job_data.ts';
import { JobFailed, type JobResult, resultWithoutCalls } from './job_result.ts';
import type { MirrorJob } from './queue.ts';

export interface ProcessOptions {
  readonly jobs: readonly JobDefinition[];
  readonly config: Config;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/**
 * Processes one batch of a job, bounded in calls and time. A repetition is safe, because the warehouse stores all
 * progress.
 *
 * @throws JobFailed
 */
export async function processJob(job: MirrorJob, options: ProcessOptions): Promise<JobResult> {
  const { definition, data } = readJob(job, options.jobs);
  const { config, log, signal } = options;
  const workspace = open(config);
  const progress = reportProgress(job, log);
  const bounds = {
    focus: config.focus,
    maxCalls: config.worker.job_calls ?? Number.POSITIVE_INFINITY,
    maxMinutes: config.worker.job_time.ms / 60_000,
    signal,
    onStarted: progress.started,
    onProgress: progress.loaded,
  };
  try {
    const context = { workspace, data, bounds };
    if (definition.spendsCalls) return await processEngineJob(definition, context);
    return await processLocalJob(definition, context);
  } catch (error) {
    throw error instanceof JobFailed ? error : JobFailed.from(error, progress.hasRun ? 'running' : 'opening');
  } finally {
    workspace.close();
  }
}

function readJob(
  job: MirrorJob,
  jobs: readonly JobDefinition[],
): { definition: JobDefinition; data: JobData } {
  const definition = jobs.find(({ name }) => name === job.name);
  if (definition === undefined)
    throw new JobFailed(
      `this version has no job \`${job.name}\`; the job did nothing. Remove it from the queue.`,
      'refused',
    );
  try {
    return { definition, data: readJobData(job.data) };
  } catch (error) {
    throw JobFailed.from(error, 'refused');
  }
}

function open(config: Config): Workspace {
  try {
    return openWorkspace(config);
  } catch (error) {
    throw JobFailed.from(error, 'opening');
  }
}

/** The row in `_run` lets the reconciler see when the job last ran, as for a job of the engine. */
async function processLocalJob(job: LocalJob, context: JobContext): Promise<JobResult> {
  const { clock, warehouse } = context.workspace;
  const runId = startRun(warehouse.db, { command: job.name, owner: null, nowMs: clock.now() });
  context.bounds.onStarted?.(runId);
  try {
    const summary = await job.process(context);
    finishRun(warehouse.db, { runId, ended: 'done', nowMs: clock.now() });
    return resultWithoutCalls(summary, 'done', runId);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    finishRun(warehouse.db, { runId, ended: 'failed', error: message, nowMs: clock.now() });
    throw error;
  }
}

/** Throws if the run failed, so that the queue shows the job as failed. */
async function processEngineJob(job: EngineJob, context: JobContext): Promise<JobResult> {
  const report = await job.process(context);
  const { ending, totals, runId } = report;
  if (ending.ended === 'failed' || ending.ended === 'unauthorised' || ending.ended === 'drift')
    throw new JobFailed(`run ${runId} ended with ${ending.ended}: ${ending.why}`, 'running');
  if (ending.ended === 'another_run') {
    const { pid, host, takenAt } = ending.holder;
    return resultWithoutCalls(
      `another run holds the lock of the warehouse (process ${pid} on ${host}, since ${takenAt}); this job will run after it`,
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
  const results = [
    totals.listed > 0 && counted(totals.listed, 'new company', 'new companies'),
    totals.fetched > 0 && counted(totals.fetched, 'new record'),
    totals.changed > 0 && counted(totals.changed, 'changed record'),
    totals.gone > 0 && `${totals.gone} gone`,
    totals.quarantined > 0 && `${totals.quarantined} in quarantine`,
  ].filter((result) => result !== false);
  const calls = totals.calls === 0 ? 'no calls' : counted(totals.calls, 'call');
  const left = callsLeft === Number.POSITIVE_INFINITY ? '' : `; ${counted(callsLeft, 'call')} left`;
  return `${calls}: ${results.length === 0 ? 'nothing new' : results.join(', ')}; ${REASONS[ending.ended](resumesAt)}${left}`;
}

const REASONS: Readonly<Record<RunReport['ending']['ended'], (resumesAt: string | null) => string>> = {
  done: () => 'nothing more is due',
  allowance: (resumesAt) =>
    resumesAt === null
      ? 'the allowance is used up permanently'
      : `the allowance is used up until ${resumesAt}`,
  max_calls: () => 'the call limit of the job is reached',
  max_minutes: () => 'the time limit of the job is reached',
  interrupted: () => 'interrupted',
  another_run: () => 'another run holds the lock',
  unauthorised: () => 'the upstream rejected the key',
  drift: () => 'the responses no longer match the dialect',
  failed: () => 'failed',
};

/** Logs every call, and updates the progress on the dashboard at most once a second. */
function reportProgress(job: MirrorJob, log: Logger) {
  let runId: number | null = null;
  let updatedAtMs = 0;
  let isUpdating = false;
  return {
    get hasRun() {
      return runId !== null;
    },
    started: (id: number) => {
      runId = id;
      log.info({ run: id }, 'run started');
    },
    loaded: (totals: RunTotals, last: Outcome) => {
      logOutcome(log, runId, last);
      const receivedAtMs = Date.parse(last.sentAt) + last.durationMs;
      if (isUpdating || receivedAtMs - updatedAtMs < PROGRESS_EVERY_MS) return;
      updatedAtMs = receivedAtMs;
      isUpdating = true;
      const { calls, listed, fetched, changed, failed } = totals;
      job
        .updateProgress({ run: runId, calls, new: listed, fetched, changed, failed })
        // FLUSHALL may have removed the job. The run continues, and the warehouse stores its result.
        .catch((error: unknown) => log.debug({ run: runId, err: error }, 'progress not updated'))
        .finally(() => {
          isUpdating = false;
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
  if ('why' in verdict) log.warn({ ...line, why: verdict.why }, 'call failed');
  else log.debug(line, 'call');
}

const PROGRESS_EVERY_MS = 1000;
