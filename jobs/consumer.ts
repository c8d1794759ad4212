import { DelayedError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Clock } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { MirrorError } from '../src/errors.ts';
import { isCovered, type LastRun } from './due_jobs.ts';
import type { JobDefinition } from './job.ts';
import type { JobData } from './job_data.ts';
import { JobFailed, type JobResult, resultWithoutCalls } from './job_result.ts';
import { processJob } from './process_job.ts';
import { type MirrorJob, repeatStrategy, retention, scheduledTimeOf } from './queue.ts';
import { queueNameOf } from './queue_name.ts';
import { isConnectionError } from './redis.ts';

/** Runs the jobs of one queue while this process leads it, one job at a time. */
export interface Consumer {
  /** Name of the job that runs; null: none. */
  readonly running: string | null;
  /** Takes no more jobs, finishes and loads the calls in flight, and returns the unfinished job to the queue. */
  close(): Promise<void>;
}

export interface ConsumerOptions {
  readonly jobs: readonly JobDefinition[];
  readonly config: Config;
  readonly connection: Redis;
  readonly clock: Clock;
  readonly log: Logger;
  readonly workerName: string;
  /** The last run of a scheduled job; null: none. */
  lastRunOf(name: string): LastRun | null;
  /** Called before a job ends, to queue the next batch. `failedBeforeRun`: its run did not start. Never rejects. */
  onEnding(job: MirrorJob, failedBeforeRun: boolean): Promise<void>;
}

export function openConsumer(options: ConsumerOptions): Consumer {
  const { config, connection, log, workerName } = options;
  const closing = new AbortController();
  let running: string | null = null;

  const processOne = async (job: MirrorJob, token?: string): Promise<JobResult> => {
    running = job.name;
    try {
      const result = await processBatch(options, job, closing.signal);
      await continueLater(options, job, result, token);
      return result;
    } finally {
      running = null;
    }
  };
  const worker = new Worker<JobData, JobResult, string>(queueNameOf(config), processOne, {
    connection,
    prefix: config.worker.prefix,
    name: workerName,
    concurrency: 1,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_EVERY_MS,
    maxStalledCount: MOST_STALLS,
    runRetryDelay: RETRY_AFTER_MS,
    settings: { repeatStrategy },
    ...retention(),
  });
  logEvents(worker, log);

  return {
    get running() {
      return running;
    },
    close: async () => {
      closing.abort();
      const closed = worker.close();
      while (running !== null) await Promise.race([closed, pause(POLL_MS)]);
      // Without Redis the job cannot be marked as ended. The warehouse has its result, which is sufficient.
      await Promise.race([closed, pause(CLOSE_WITHIN_MS)]);
    },
  };
}

async function processBatch(
  options: ConsumerOptions,
  job: MirrorJob,
  signal: AbortSignal,
): Promise<JobResult> {
  const { jobs, config } = options;
  const log = options.log.child({ job: job.id, name: job.name });
  let failedBeforeRun = false;
  try {
    const covering = coveringRun(options, job);
    if (covering !== null)
      return resultWithoutCalls(`run ${covering.runId} covered this scheduled time`, 'covered');
    return await processJob(job, { jobs, config, signal, log });
  } catch (error) {
    failedBeforeRun = error instanceof JobFailed && error.at === 'opening';
    throw error;
  } finally {
    await options.onEnding(job, failedBeforeRun);
  }
}

/** Delays the same job if its definition has another batch. */
async function continueLater(
  { jobs, config, clock }: ConsumerOptions,
  job: MirrorJob,
  result: JobResult,
  token: string | undefined,
): Promise<void> {
  const definition = jobs.find(({ name }) => name === job.name);
  const batch = { config, data: job.data, result, nowMs: clock.now() };
  const continuesAtMs = definition?.continuesAtMs?.(batch) ?? null;
  if (continuesAtMs === null) return;
  await job.updateProgress({ ...result });
  await job.moveToDelayed(continuesAtMs, token);
  throw new DelayedError(result.summary);
}

/** The run that covers the scheduled time of this job; null: none does, or no schedule created the job. */
function coveringRun({ lastRunOf }: ConsumerOptions, job: MirrorJob): LastRun | null {
  const scheduledMs = scheduledTimeOf(job);
  if (scheduledMs === null) return null;
  const lastRun = lastRunOf(job.name);
  return isCovered(scheduledMs, lastRun) ? lastRun : null;
}

function logEvents(worker: Worker<JobData, JobResult, string>, log: Logger): void {
  worker.on('completed', (job, result) =>
    log.info({ job: job.id, name: job.name, ...result }, 'job finished'),
  );
  worker.on('failed', (job, error) =>
    log.error({ job: job?.id, name: job?.name, ...reasonOf(error) }, 'job failed'),
  );
  worker.on('stalled', (id) => log.warn({ job: id }, 'job taken over from a worker that is gone'));
  worker.on('error', (error) => {
    if (!isConnectionError(error)) log.warn({ err: error }, 'queue error');
  });
}

/** An expected failure is logged with its message only; any other failure with its stack. */
function reasonOf(error: Error) {
  const { message: reason, cause } = error;
  if (!(error instanceof JobFailed)) return { reason, err: error };
  return cause === undefined || cause instanceof MirrorError ? { reason } : { reason, err: cause };
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs).unref();
  });
}

// The job of a killed worker continues after at most the lock duration and two checks.
const LOCK_MS = 10_000;
const STALLED_EVERY_MS = 5000;
// A batch can run again safely. A batch that kills its worker each time must end in the failed set.
const MOST_STALLS = 5;
const RETRY_AFTER_MS = 1000;
const POLL_MS = 50;
const CLOSE_WITHIN_MS = 3000;
