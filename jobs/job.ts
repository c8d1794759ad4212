import type { Database } from 'better-sqlite3';
import type { Config } from '../src/config/config.ts';
import type { Workspace } from '../src/operations/assemble.ts';
import type { RunOrder } from '../src/operations/run.ts';
import type { RunReport } from '../src/operations/run_report.ts';
import type { JobData } from './job_data.ts';
import type { JobResult } from './job_result.ts';
import type { JobSchedule } from './schedules.ts';

/**
 * The definition of a job. Each job has its own file. `all_jobs.ts` lists the definitions, and everything else
 * (schedules, priorities, metrics, the status page) is derived from that list.
 */
export type JobDefinition = EngineJob | LocalJob;

/** A job that runs the engine for one batch. It does not start while the allowance is used up. */
export interface EngineJob extends JobBase {
  readonly spendsCalls: true;
  process(context: JobContext): Promise<RunReport>;
}

/**
 * A job that sends no call, for example a daily check. It also runs while the allowance is used up or another
 * process holds the lock of the warehouse. `process` returns one sentence for the dashboard.
 */
export interface LocalJob extends JobBase {
  readonly spendsCalls: false;
  process(context: JobContext): Promise<string>;
}

interface JobBase {
  /** Name of the job in the queue, and of its runs in `_run.command`. */
  readonly name: string;
  /** The job with the lowest number runs first. */
  priority(focus: Config['focus']): number;
  /**
   * The time at which the same job continues after a batch, in epoch milliseconds; null: the job is finished.
   * Without this method a job is finished after one batch.
   */
  continuesAtMs?(batch: FinishedBatch): number | null;
}

/** A job that the worker queues by a cron pattern. */
export type ScheduledJob = JobDefinition &
  JobSchedule & {
    /** The event that makes the job due before its scheduled time; null: no such event. Reads the warehouse. */
    earlierDue?(db: Database): EarlierDue | null;
  };

export interface EarlierDue {
  /** Time of the event. Only an event after the start of the job's last run counts. */
  readonly atMs: number;
  readonly because: string;
}

export interface JobContext {
  readonly workspace: Workspace;
  readonly data: JobData;
  readonly bounds: BatchBounds;
}

/** The limits of one batch, and the callbacks for its progress. */
export type BatchBounds = Pick<
  RunOrder,
  'maxCalls' | 'maxMinutes' | 'signal' | 'onStarted' | 'onProgress' | 'focus'
>;

export interface FinishedBatch {
  readonly config: Config;
  readonly data: JobData;
  readonly result: JobResult;
  readonly nowMs: number;
}

export function isScheduled(job: JobDefinition): job is ScheduledJob {
  return 'pattern' in job;
}
