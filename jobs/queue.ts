import { statSync } from 'node:fs';
import { type Job, Queue, type RepeatStrategy } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Config } from '../src/config/config.ts';
import { ALL_JOBS } from './all_jobs.ts';
import type { JobData, JobName, JobResult, ScheduledName } from './job.ts';
import { queueNameOf } from './queue_name.ts';
import { nextMoment } from './schedule.ts';

/** The queue of one registry and account. */
export type MirrorQueue = Queue<JobData, JobResult, JobName>;
export type MirrorJob = Job<JobData, JobResult, JobName>;

export function openQueue(config: Config, connection: Redis, onError: (error: Error) => void): MirrorQueue {
  const queue: MirrorQueue = new Queue(queueNameOf(config), {
    connection,
    prefix: config.worker.prefix,
    settings: { repeatStrategy },
  });
  queue.on('error', onError);
  return queue;
}

/** BullMQ asks this for the next moment, in place of its own reading of patterns. */
export const repeatStrategy: RepeatStrategy = (afterMs, { pattern, tz, startDate }) => {
  if (pattern === undefined) return undefined;
  const fromMs = startDate === undefined ? afterMs : Math.max(afterMs, new Date(startDate).getTime() - 1);
  return nextMoment({ pattern, timezone: tz ?? 'UTC' }, fromMs);
};

/** What is asked for first when several jobs wait: in the order in which the focus fills the lanes of `sync`. */
export function priorityOf(name: JobName, focus: Config['focus']): number {
  const order: readonly JobName[] =
    focus === 'coverage'
      ? ['poll-stats', 'sweep-search', 'fetch-entities', 'backfill']
      : ['poll-stats', 'fetch-entities', 'sweep-search', 'backfill'];
  return order.indexOf(name) + 1;
}

/** How long finished jobs stay on the dashboard. */
export function retention() {
  return {
    removeOnComplete: { age: 7 * DAY_SECONDS, count: 500 },
    removeOnFail: { age: 30 * DAY_SECONDS, count: 500 },
  };
}

/** The moment of its schedule for which a job was made; null: it was asked for otherwise. */
export function momentOf(job: MirrorJob): number | null {
  return job.repeatJobKey === undefined ? null : (job.opts.prevMillis ?? null);
}

export function isScheduledName(name: string): name is ScheduledName {
  return name !== 'backfill' && ALL_JOBS.some((kind) => kind.name === name);
}

/** Tells a file from any other, by whatever path or host name it is reached. */
export function identityOf(path: string): string {
  const stats = statSync(path, { bigint: true });
  return `${stats.dev}:${stats.ino}`;
}

const DAY_SECONDS = 24 * 60 * 60;
