import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import type { Config } from '../src/config/config.ts';
import type { Workspace } from '../src/operations/assemble.ts';
import type { RunOrder } from '../src/operations/run.ts';
import type { RunReport } from '../src/operations/run_report.ts';
import { JobRejected, type JobResult } from './job_result.ts';
import type { JobSchedule } from './schedules.ts';

/**
 * The definition of a job, which runs the engine, one batch at a time. A job does not start while the allowance is used
 * up. Each job has its own file. The worker and its metrics use every definition in `ALL_JOBS`.
 */
export interface JobDefinition {
  /** The job's name in the queue and in `_run.command`. */
  readonly name: string;
  process(context: JobContext): Promise<RunReport>;
  /** The priority in the queue. The job with the lowest number runs first. */
  priority(focus: Config['focus']): number;
  /**
   * Returns when this job continues after a batch, in epoch milliseconds, or null if the job is finished. A job without
   * this method is finished after one batch.
   */
  continuesAtMs?(batch: FinishedBatch): number | null;
  /** Called when a job has ended and neither a retry, another batch nor another key can continue it. */
  onEnded?(config: Config, data: JobData, nowMs: number): void;
}

/** A job that the worker queues at the times given by a cron pattern. */
export type ScheduledJob = JobDefinition &
  JobSchedule & {
    /** Returns the last event that makes the job due before its scheduled time, or null if there is none. */
    earlierDue?(db: Database): EarlierDue | null;
  };

export interface EarlierDue {
  /** When the event occurred, in epoch milliseconds. An event before the start of the job's last run is ignored. */
  readonly atMs: number;
  readonly because: string;
}

export interface JobContext {
  readonly workspace: Workspace;
  readonly data: JobData;
  /** A batch's limits and progress callbacks. */
  readonly bounds: Pick<
    RunOrder,
    'maxCalls' | 'maxMinutes' | 'signal' | 'onStarted' | 'onProgress' | 'focus'
  >;
}

interface FinishedBatch {
  readonly config: Config;
  readonly data: JobData;
  readonly result: JobResult;
  readonly nowMs: number;
}

export function isScheduled(job: JobDefinition): job is ScheduledJob {
  return 'pattern' in job;
}

/**
 * The version of `JobData`. Increase it when the meaning of the data changes, so that a worker rejects jobs that
 * another version left in Redis instead of misinterpreting them.
 */
export const JOB_VERSION = 1;

const Data = z.strictObject({
  // The defaults accept `{}`, which is the data of a job that a user adds on the dashboard.
  version: z.literal(JOB_VERSION).default(JOB_VERSION),
  /** Why the job was queued, for the dashboard. */
  because: z.string().default('a user added the job on the dashboard'),
  /** The request for a queued backfill. */
  backfill: z
    .strictObject({
      /** The backfill's number in the warehouse. */
      id: z.int().positive(),
      /** The maximum number of calls in all batches together; null if there is no limit. */
      max_calls: z.int().positive().nullable(),
      /** When the user requested the backfill, UTC. */
      asked_at: z.iso.datetime(),
    })
    .optional(),
});
export type JobData = z.infer<typeof Data>;

/** @throws JobRejected if another version or another program wrote the data. */
export function readJobData(data: unknown): JobData {
  const parsed = Data.safeParse(data);
  if (parsed.success) return parsed.data;
  const { data: version } = z.object({ version: z.union([z.number(), z.string()]) }).safeParse(data);
  const fault =
    version === undefined || version.version === JOB_VERSION
      ? "registry-mirror did not write this job's data"
      : `another version wrote this job (data version ${version.version}, this worker reads ${JOB_VERSION})`;
  throw new JobRejected(
    `${fault}; the job did nothing. Remove it from the queue. The schedules will queue the same work again.`,
  );
}
