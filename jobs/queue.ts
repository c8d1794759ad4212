import { statSync } from 'node:fs';
import { type Job, Queue, type RepeatStrategy } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Config } from '../src/config/config.ts';
import type { JobData } from './job.ts';
import type { JobResult } from './job_result.ts';
import { nextTime } from './schedule.ts';

/** The queue of one registry and account. */
export type MirrorQueue = Queue<JobData, JobResult, string>;
export type MirrorJob = Job<JobData, JobResult, string>;

export function openQueue(config: Config, connection: Redis, onError: (error: Error) => void): MirrorQueue {
  const queue: MirrorQueue = new Queue(queueNameOf(config), {
    connection,
    prefix: config.worker.prefix,
    settings: { repeatStrategy },
    // The worker checks the version once, at its start.
    skipVersionCheck: true,
  });
  queue.on('error', onError);
  return queue;
}

/** The name of a queue, such as `isle-of-man.main`: letters and digits of the source, then the account. */
export function queueNameOf({ source, account }: Config): string {
  const words = source.name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['registry'];
  return `${words.join('-')}.${account.id}`;
}

/** The Redis keys of this program, beside those of BullMQ. */
export function keysOf(prefix: string, queueName: string) {
  return {
    leader: `${prefix}:${queueName}:leader`,
    /** Hash: name of the schedule → last time it was verified. */
    heartbeat: `${prefix}:${queueName}:heartbeat`,
    /** Hash: name of each queue under this prefix → last time its leader reconciled it. */
    queues: `${prefix}:queues`,
  };
}

/** Replaces BullMQ's own computation of the next scheduled time. */
export const repeatStrategy: RepeatStrategy = (afterMs, { pattern, tz, startDate }) => {
  if (pattern === undefined) return undefined;
  const fromMs = startDate === undefined ? afterMs : Math.max(afterMs, new Date(startDate).getTime() - 1);
  return nextTime({ pattern, timezone: tz ?? 'UTC' }, fromMs);
};

/** The options of a job. After a transient failure it is retried 30 s, 60 s, 120 s … later, `attempts - 1` times. */
export function jobOptions(priority: number, attempts: number) {
  return {
    priority,
    attempts,
    backoff: { type: 'exponential', delay: FIRST_RETRY_MS },
    keepLogs: 200,
    ...retention(),
  };
}

/** The attempts whose retries fit into a quarter of a schedule's period, so that the next scheduled job finds none. */
export function attemptsWithin(periodMs: number): number {
  const retries = Math.floor(Math.log2(periodMs / 4 / FIRST_RETRY_MS + 1));
  return 1 + Math.min(retries, MOST_RETRIES);
}

/** The time for which finished jobs stay on the dashboard. */
export function retention() {
  return {
    removeOnComplete: { age: 7 * DAY_SECONDS, count: 500 },
    removeOnFail: { age: 30 * DAY_SECONDS, count: 500 },
  };
}

/** The scheduled time for which a job was created, in epoch milliseconds; null: no schedule created it. */
export function scheduledTimeOf(job: MirrorJob): number | null {
  return job.repeatJobKey === undefined ? null : (job.opts.prevMillis ?? null);
}

/** Identifies a file, whatever path or host name leads to it. */
export function identityOf(path: string): string {
  const stats = statSync(path, { bigint: true });
  return `${stats.dev}:${stats.ino}`;
}

const DAY_SECONDS = 24 * 60 * 60;
// Longer than the pauses within a run, which ends after 15 s without a successful call.
export const FIRST_RETRY_MS = 30_000;
// The last of seven retries is an hour after the failure. Each can cost a few calls.
export const MOST_RETRIES = 7;
