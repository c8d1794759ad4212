import { statSync } from 'node:fs';
import { type Job, Queue, type RepeatStrategy } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Config } from '../src/config/config.ts';
import type { JobData } from './job_data.ts';
import type { JobResult } from './job_result.ts';
import { queueNameOf } from './queue_name.ts';
import { nextTime } from './schedule.ts';

/** The queue of one registry and account. */
export type MirrorQueue = Queue<JobData, JobResult, string>;
export type MirrorJob = Job<JobData, JobResult, string>;

export function openQueue(config: Config, connection: Redis, onError: (error: Error) => void): MirrorQueue {
  const queue: MirrorQueue = new Queue(queueNameOf(config), {
    connection,
    prefix: config.worker.prefix,
    settings: { repeatStrategy },
  });
  queue.on('error', onError);
  return queue;
}

/** Replaces BullMQ's own computation of the next scheduled time. */
export const repeatStrategy: RepeatStrategy = (afterMs, { pattern, tz, startDate }) => {
  if (pattern === undefined) return undefined;
  const fromMs = startDate === undefined ? afterMs : Math.max(afterMs, new Date(startDate).getTime() - 1);
  return nextTime({ pattern, timezone: tz ?? 'UTC' }, fromMs);
};

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
