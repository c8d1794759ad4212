import { type Job, Queue, type RepeatStrategy, type Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Config } from '../src/config/config.ts';
import { nextTime } from '../src/cron/cron_times.ts';
import type { JobData, JobResult } from './job.ts';

/** The BullMQ queue for one registry and account. */
export type MirrorQueue = Queue<JobData, JobResult, string>;
export type MirrorJob = Job<JobData, JobResult, string>;
export type MirrorWorker = Worker<JobData, JobResult, string>;

export function openQueue(
  config: Config,
  connection: Redis,
  onError: (error: Error) => void,
  name = queueNameOf(config),
): MirrorQueue {
  const queue: MirrorQueue = new Queue(name, {
    connection,
    prefix: config.worker.prefix,
    settings: { repeatStrategy },
    // A queue that `worker remove` names may not exist, and must not be created.
    skipMetasUpdate: name !== queueNameOf(config),
    // The worker checks the Redis version once, when it starts.
    skipVersionCheck: true,
  });
  queue.on('error', onError);
  return queue;
}

/** Returns a queue's name, which is made from the source name and the account id, such as `isle-of-man.main`. */
export function queueNameOf({ source, account }: Config): string {
  const words = source.name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['registry'];
  return `${words.join('-')}.${account.id}`;
}

/** Returns the Redis keys that this program uses in addition to BullMQ's own keys. */
export function redisKeysOf(prefix: string, queueName: string) {
  return {
    leader: `${prefix}:${queueName}:leader`,
    /** A hash that stores when each queue under this prefix was last reconciled, by queue name. */
    queues: `${prefix}:queues`,
  };
}

/** Computes the next scheduled time, in place of BullMQ's own code. */
export const repeatStrategy: RepeatStrategy = (afterMs, { pattern, tz, startDate }) => {
  if (pattern === undefined) return undefined;
  const fromMs = startDate === undefined ? afterMs : Math.max(afterMs, new Date(startDate).getTime() - 1);
  return nextTime({ pattern, timezone: tz ?? 'UTC' }, fromMs);
};

/**
 * Returns a job's BullMQ options. After a transient failure, the job is retried up to `attempts - 1` times, after 30 s,
 * 60 s, 120 s and so on.
 */
export function jobOptions(priority: number, attempts: number) {
  const backoff = { type: 'exponential', delay: FIRST_RETRY_MS };
  return { priority, attempts, backoff, ...retention() };
}

/**
 * Returns how many attempts to permit. Their retries must fit into a quarter of the schedule's period, so that all
 * retries end before the next scheduled job.
 */
export function attemptsWithin(periodMs: number): number {
  return Math.min(1 + Math.floor(Math.log2(periodMs / 4 / FIRST_RETRY_MS + 1)), MOST_ATTEMPTS);
}

/** Returns options that limit how many finished jobs stay on the dashboard, and for how long. */
export function retention() {
  return {
    removeOnComplete: { age: 7 * DAY_SECONDS, count: 500 },
    removeOnFail: { age: 30 * DAY_SECONDS, count: 500 },
  };
}

/** Returns a job's scheduled time in epoch milliseconds, or null if no schedule created the job. */
export function scheduledTimeOf(job: MirrorJob): number | null {
  return job.repeatJobKey === undefined ? null : (job.opts.prevMillis ?? null);
}

const DAY_SECONDS = 24 * 60 * 60;
// This is longer than any pause within a run, which ends after 15 s without a successful call.
const FIRST_RETRY_MS = 30_000;
// The seventh retry follows about an hour after the failure. More retries would waste calls, because each retry can
// cost a few.
export const MOST_ATTEMPTS = 8;
