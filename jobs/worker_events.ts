import type { Worker } from 'bullmq';
import type { Logger } from 'pino';
import type { Clock } from '../src/clock.ts';
import { MirrorError } from '../src/errors.ts';
import type { ErrorLog } from './error_log.ts';
import type { JobData } from './job.ts';
import type { JobResult } from './job_result.ts';
import { isConnectionError } from './redis.ts';

/** The BullMQ worker of one queue. */
export type MirrorQueueWorker = Worker<JobData, JobResult, string>;

/** Logs the end of each attempt of a job. */
export function logEvents(worker: MirrorQueueWorker, log: Logger): void {
  worker.on('completed', (job, result) =>
    log.info({ job: job.id, name: job.name, ...result }, 'job finished'),
  );
  worker.on('failed', (job, error) => {
    const { attempts = 1, backoff } = job?.opts ?? {};
    const line = { job: job?.id, name: job?.name, attempt: job?.attemptsMade, attempts, ...reasonOf(error) };
    if (job?.finishedOn === undefined) log.warn({ ...line, backoff }, 'job failed; it will be retried');
    else log.error(line, 'job failed');
  });
  worker.on('stalled', (id) => log.warn({ job: id }, 'job taken over from a worker that is gone'));
}

/** Logs an expected failure with its message only, and any other failure with its stack. */
function reasonOf({ message: reason, cause }: Error) {
  return cause === undefined || cause instanceof MirrorError ? { reason } : { reason, err: cause };
}

/**
 * Pauses the worker after each error, because BullMQ retries a command that Redis rejects without any delay. The pause
 * doubles while errors continue.
 */
export function pauseAfterErrors(
  worker: MirrorQueueWorker,
  { clock, errors }: { readonly clock: Clock; readonly errors: ErrorLog },
  closing: AbortSignal,
): void {
  let lastErrorMs = 0;
  let delayMs = SHORTEST_PAUSE_MS;
  worker.on('error', async (error) => {
    errors.log(error, 'the worker received an error from the queue');
    if (isConnectionError(error) || worker.isPaused() || closing.aborted) return;
    const nowMs = clock.now();
    delayMs =
      nowMs - lastErrorMs > FORGET_ERRORS_MS ? SHORTEST_PAUSE_MS : Math.min(2 * delayMs, LONGEST_PAUSE_MS);
    lastErrorMs = nowMs;
    void worker.pause(true);
    await clock.sleep(delayMs, closing);
    if (!closing.aborted) await worker.resume();
  });
}

const SHORTEST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;
const FORGET_ERRORS_MS = 60_000;
