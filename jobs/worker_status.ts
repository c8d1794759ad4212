import type { Redis } from 'ioredis';
import { isoTime } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { UsageError } from '../src/errors.ts';
import type { ScheduleFacts } from '../src/report/schedules.ts';
import { type LeaderFacts, leaderOf } from './leadership.ts';
import { keysOf, type MirrorQueue } from './queue.ts';
import { withQueue } from './queue_control.ts';

/** The worker's state, for `status`. */
export interface WorkerStatus {
  readonly queue: string;
  /** The worker that leads the queue; null if no worker runs. */
  readonly leader: LeaderFacts | null;
  /** True if a user has paused the queue, so that no job starts. */
  readonly paused: boolean;
  readonly schedules: readonly ScheduleStatus[];
  /** The number of jobs in each BullMQ state. */
  readonly jobs: Readonly<Record<string, number>>;
}

interface ScheduleStatus {
  readonly name: string;
  readonly pattern: string;
  readonly timezone: string;
  /** When any worker last started the job, UTC; null if it has never run. */
  readonly last_at: string | null;
  /** How the last run ended; null if it is in progress or its process was killed. */
  readonly last_ended: string | null;
  /**
   * The next scheduled time, UTC; null if the schedule is not in Redis, for example because no quota will ever be
   * available again.
   */
  readonly next_at: string | null;
  /** When the worker last verified the schedule, UTC; null if the schedule is not in Redis. */
  readonly heartbeat_at: string | null;
}

/**
 * Reads the worker's state from Redis and the warehouse. Returns null if Redis does not respond, or if no worker has
 * ever used this Redis for this registry.
 */
export async function readWorkerStatus(
  config: Config,
  schedules: readonly ScheduleFacts[],
): Promise<WorkerStatus | null> {
  const read = (queue: MirrorQueue, redis: Redis) => readStatus(config, schedules, queue, redis);
  return await withQueue(config, read).catch((error: unknown) => {
    if (error instanceof UsageError) return null;
    throw error;
  });
}

async function readStatus(
  { worker: { prefix } }: Config,
  schedules: readonly ScheduleFacts[],
  queue: MirrorQueue,
  redis: Redis,
): Promise<WorkerStatus | null> {
  const keys = keysOf(prefix, queue.name);
  const reconciledAt = await redis.hget(keys.queues, queue.name);
  const leader = await leaderOf(redis, keys.leader);
  if (leader === null && reconciledAt === null) return null;
  const nextInRedis = new Map((await queue.getJobSchedulers()).map(({ key, next }) => [key, next]));
  const shown = schedules.map(({ name, schedule, lastRun }): ScheduleStatus => {
    const next = nextInRedis.get(name) ?? null;
    return {
      name,
      ...schedule,
      last_at: lastRun?.startedAt ?? null,
      last_ended: lastRun?.ended ?? null,
      next_at: next === null ? null : isoTime(next),
      heartbeat_at: next === null ? null : reconciledAt,
    };
  });
  const [jobs, paused] = [await queue.getJobCounts(), await queue.isPaused()];
  return { queue: queue.name, leader, paused, schedules: shown, jobs };
}
