import { DelayedError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Clock } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { MirrorError } from '../src/errors.ts';
import { continuesAtMs, isRequestSpent } from './backfill.ts';
import { BatchFailed, idle, workOn } from './batch.ts';
import { isCovered, type LastRun } from './due_jobs.ts';
import type { JobData, JobName, JobResult, ScheduledName } from './job.ts';
import { isScheduledName, type MirrorJob, momentOf, repeatStrategy, retention } from './queue.ts';
import { queueNameOf } from './queue_name.ts';
import { isConnectionError } from './redis.ts';

/** Works on the jobs of one queue, one after the other, while this process leads it. */
export interface Consumer {
  /** The name of the job at work. */
  readonly working: string | null;
  /** Takes no more jobs; finishes and loads the calls in flight, and hands the rest over. */
  close(): Promise<void>;
}

export interface ConsumerParts {
  readonly config: Config;
  readonly connection: Redis;
  readonly clock: Clock;
  readonly log: Logger;
  readonly workerName: string;
  lastRunOf(name: ScheduledName): LastRun | null;
  /** A job is about to end; `failedBeforeRun`: it never came to a run. What follows is queued now. Never rejects. */
  ending(job: MirrorJob, failedBeforeRun: boolean): Promise<void>;
}

export function openConsumer(parts: ConsumerParts): Consumer {
  const { config, connection, log, workerName } = parts;
  const closing = new AbortController();
  let working: string | null = null;

  const work = async (job: MirrorJob, token?: string): Promise<JobResult> => {
    working = job.name;
    try {
      const result = await workOnce(parts, job, closing.signal);
      if (job.name === 'backfill') await goOnLater(parts, job, result, token);
      return result;
    } finally {
      working = null;
    }
  };
  const worker = new Worker<JobData, JobResult, JobName>(queueNameOf(config), work, {
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
  watch(worker, log);

  return {
    get working() {
      return working;
    },
    close: async () => {
      closing.abort();
      const closed = worker.close();
      while (working !== null) await Promise.race([closed, pause(POLL_MS)]);
      // Without Redis the end of a job cannot be told to it. The warehouse knows it, and that is enough.
      await Promise.race([closed, pause(CLOSE_WITHIN_MS)]);
    },
  };
}

async function workOnce(parts: ConsumerParts, job: MirrorJob, signal: AbortSignal): Promise<JobResult> {
  const log = parts.log.child({ job: job.id, name: job.name });
  let failedBeforeRun = false;
  try {
    const covering = coveringRun(parts, job);
    if (covering !== null) return idle(`run ${covering.runId} has covered this moment`, 'covered');
    return await workOn(job, { config: parts.config, signal, log });
  } catch (error) {
    failedBeforeRun = error instanceof BatchFailed && error.at === 'opening';
    throw error;
  } finally {
    await parts.ending(job, failedBeforeRun);
  }
}

/** A backfill that has more to do stays the same job, and waits. */
async function goOnLater(
  { config, clock }: ConsumerParts,
  job: MirrorJob,
  result: JobResult,
  token: string | undefined,
): Promise<void> {
  const nowMs = clock.now();
  const againAtMs = isRequestSpent(config, job.data, nowMs) ? null : continuesAtMs(result, nowMs);
  if (againAtMs === null) return;
  await job.updateProgress({ ...result });
  await job.moveToDelayed(againAtMs, token);
  throw new DelayedError(result.summary);
}

/** A run of the same job that came to its end since the moment that this one is for. */
function coveringRun({ lastRunOf }: ConsumerParts, job: MirrorJob): LastRun | null {
  const momentMs = momentOf(job);
  if (momentMs === null || !isScheduledName(job.name)) return null;
  const lastRun = lastRunOf(job.name);
  return isCovered(momentMs, lastRun) ? lastRun : null;
}

function watch(worker: Worker<JobData, JobResult, JobName>, log: Logger): void {
  worker.on('completed', (job, result) => log.info({ job: job.id, name: job.name, ...result }, 'finished'));
  worker.on('failed', (job, error) =>
    log.error({ job: job?.id, name: job?.name, ...reasonOf(error) }, 'failed'),
  );
  worker.on('stalled', (id) => log.warn({ job: id }, 'taken over: the worker that had it is gone'));
  worker.on('error', (error) => {
    if (!isConnectionError(error)) log.warn({ err: error }, 'queue');
  });
}

/** What we expect to fail says so in words; anything else is shown with where it came from. */
function reasonOf(error: Error) {
  const { message: reason, cause } = error;
  if (!(error instanceof BatchFailed)) return { reason, err: error };
  return cause === undefined || cause instanceof MirrorError ? { reason } : { reason, err: cause };
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs).unref();
  });
}

// A killed worker's job is taken up again after at most the lock and two checks.
const LOCK_MS = 10_000;
const STALLED_EVERY_MS = 5000;
// A slice is safe to run again, but one that kills its worker every time must end in the failed set.
const MOST_STALLS = 5;
const RETRY_AFTER_MS = 1000;
const POLL_MS = 50;
const CLOSE_WITHIN_MS = 3000;
