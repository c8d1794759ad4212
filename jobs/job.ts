import { UnrecoverableError } from 'bullmq';
import { z } from 'zod';
import { isoTime } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { runEnding } from '../src/ending.ts';
import { MirrorError, messageOf, UsageError } from '../src/errors.ts';
import type { Workspace } from '../src/operations/assemble.ts';
import { type RunBounds, type RunReport, reportData } from '../src/operations/run.ts';
import { counted } from '../src/report/figures.ts';
import type { JobSchedule } from '../src/report/schedules.ts';

/**
 * The definition of a job, which runs the engine, one batch at a time. A job does not start while the allowance is used
 * up. The worker and its metrics use every definition in `ALL_JOBS`.
 */
export interface JobDefinition extends Pick<JobSchedule, 'name' | 'priority' | 'dueSince'> {
  /** Runs one batch. Returns null if there is nothing to do. */
  process(context: JobContext): Promise<RunReport | null>;
  /** Called when a job has failed, and neither a retry nor another key can help. */
  onFailed?(config: Config, nowMs: number): void;
}

/** A job that the worker queues at the times given by a cron pattern. */
export type ScheduledJob = JobDefinition & JobSchedule;

export interface JobContext {
  readonly workspace: Workspace;
  /** A batch's limits and progress callbacks. */
  readonly bounds: RunBounds;
}

export function isScheduled(job: JobDefinition): job is ScheduledJob {
  return 'pattern' in job;
}

/**
 * The version of `JobData`. Increase it when the meaning of the data changes, so that a worker rejects jobs that
 * another version left in Redis instead of misinterpreting them.
 */
export const JOB_VERSION = 2;

const Data = z.strictObject({
  // The defaults accept `{}`, which is the data of a job that a user adds on the dashboard.
  version: z.literal(JOB_VERSION).default(JOB_VERSION),
  /** Why the job was queued, for the dashboard. */
  because: z.string().default('a user added the job on the dashboard'),
});
export type JobData = z.infer<typeof Data>;

/** @throws JobRejected if another version or another program wrote the data. */
export function assertJobData(data: unknown): void {
  if (Data.safeParse(data).success) return;
  const { data: version } = z.object({ version: z.union([z.number(), z.string()]) }).safeParse(data);
  const fault =
    version === undefined || version.version === JOB_VERSION
      ? "registry-mirror did not write this job's data"
      : `another version wrote this job (data version ${version.version}, this worker reads ${JOB_VERSION})`;
  throw new JobRejected(
    `${fault}; the job did nothing. Remove it from the queue. The schedules will queue the same work again.`,
  );
}

/** A finished job's result, as shown on the dashboard: the data of `sync --json` with a summary. */
export interface JobResult extends Partial<Omit<ReturnType<typeof reportData>, 'ended'>> {
  readonly summary: string;
  /** The id of the run in `_run`; null if the job needed no run. */
  readonly run: number | null;
  readonly ended: string;
}

/**
 * Converts a run report to a job result.
 *
 * @throws UnrecoverableError if the run ended with a rejected key or drift, because a retry would not help; Error if
 * the run failed otherwise.
 */
export function resultOf(report: RunReport, command: string): JobResult {
  const { ending, runId: run } = report;
  const { ended } = ending;
  if (ended === 'unauthorised') throw new KeyRefused(`run ${run} ended with ${ended}: ${ending.why}`);
  if (ended === 'drift') throw new UnrecoverableError(`run ${run} ended with ${ended}: ${ending.why}`);
  if (ended === 'failed') throw new Error(`run ${run} ended with failed: ${ending.why}`);
  return { summary: summaryOf(report, command), run, ...reportData(report) };
}

/**
 * Thrown if the job has an unknown name or invalid data. The job fails without a retry, and its schedule is not
 * reported as failed.
 */
export class JobRejected extends UnrecoverableError {}

/** Thrown if the upstream refuses the key. The job fails without a retry, and its request waits for another key. */
export class KeyRefused extends UnrecoverableError {}

/**
 * Converts an error to the error that BullMQ stores for the failed job. Its message includes the hint, and its type
 * prevents a retry that cannot help.
 */
export function failureOf(error: unknown): Error {
  if (error instanceof UnrecoverableError) return error;
  const hint = error instanceof MirrorError && error.hint !== null ? `. ${error.hint}` : '';
  const message = messageOf(error) + hint;
  const failure = error instanceof UsageError ? new UnrecoverableError(message) : new Error(message);
  failure.cause = error;
  return failure;
}

function summaryOf({ ending, totals, callsLeft }: RunReport, command: string): string {
  const { ended } = ending;
  if (ended === 'another_run') {
    const { pid, host, takenAt } = ending.holder;
    return `another run holds the warehouse's lock (process ${pid} on ${host}, since ${takenAt}); this job will run after it`;
  }
  const resumesAtMs = ended === 'allowance' ? ending.resumesAtMs : null;
  const results = [
    totals.listed > 0 && counted(totals.listed, 'new company', 'new companies'),
    totals.fetched > 0 && counted(totals.fetched, 'record'),
    totals.changed > 0 && counted(totals.changed, 'changed record'),
    totals.gone > 0 && `${totals.gone} gone`,
    totals.quarantined > 0 && `${totals.quarantined} in quarantine`,
  ].filter((result) => result !== false);
  const calls = totals.calls === 0 ? 'no calls' : counted(totals.calls, 'call');
  const left = callsLeft === Number.POSITIVE_INFINITY ? '' : `; ${counted(callsLeft, 'call')} left`;
  const until = resumesAtMs === null ? '' : ` until ${isoTime(resumesAtMs)}`;
  return `${calls}: ${results.length === 0 ? 'nothing new' : results.join(', ')}; ${runEnding({ command, ended, error: null })}${until}${left}`;
}
