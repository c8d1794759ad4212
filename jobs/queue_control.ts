import type { Redis } from 'ioredis';
import { isoTime } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { UsageError } from '../src/errors.ts';
import { connectOnce } from '../src/redis/connection.ts';
import type { ScheduleFacts } from '../src/report/schedules.ts';
import { backfill } from './backfill.ts';
import { JOB_VERSION, type JobDefinition } from './job.ts';
import { leaderOf } from './leadership.ts';
import { jobOptions, type MirrorQueue, MOST_ATTEMPTS, openQueue, queueNameOf, redisKeysOf } from './queue.ts';
import { SCHEDULED_JOBS } from './scheduled_jobs.ts';

// These commands control a registry's queue. Each command connects to Redis once, and throws a UsageError if it cannot
// connect.

interface QueuedJob {
  readonly queue: string;
  readonly job: string;
}

/** The queue's state after a command. */
export interface QueueState {
  readonly queue: string;
  readonly isPaused: boolean;
  /** Whether a worker leads the queue. */
  readonly isServed: boolean;
}

/**
 * Adds the job for queued backfills to the queue. `store` stores in the warehouse which backfill the worker must process,
 * and is called only if Redis responds. Without the job, the worker would process the backfill a few seconds later.
 */
export async function enqueueBackfill<Stored>(
  config: Config,
  store: () => Stored,
): Promise<QueuedJob & { readonly backfill: Stored }> {
  return await withQueue(config, async (queue) => {
    const stored = store();
    return { backfill: stored, ...(await addJob(queue, config, backfill, MOST_ATTEMPTS)) };
  });
}

/** Adds a scheduled job to the queue now, without changing its schedule. */
export async function addScheduledJob(config: Config, name: string): Promise<QueueState & QueuedJob> {
  const job = SCHEDULED_JOBS.find((one) => one.name === name);
  if (job === undefined)
    throw new UsageError(`there is no scheduled job \`${name}\``, {
      hint: `Name one of: ${SCHEDULED_JOBS.map((one) => one.name).join(', ')}.`,
    });
  return await withQueue(config, async (queue, redis) => {
    const added = await addJob(queue, config, job, 1);
    return { ...added, ...(await stateOf(queue, redis, config)) };
  });
}

async function addJob(
  queue: MirrorQueue,
  { focus }: Config,
  { name, priority }: JobDefinition,
  attempts: number,
): Promise<QueuedJob> {
  const data = { version: JOB_VERSION, because: 'a user ran it' } as const;
  // While the job waits, a second command returns the same job instead of adding another.
  const deduplication = { id: `user-${name}` };
  const { id } = await queue.add(name, data, { ...jobOptions(priority(focus), attempts), deduplication });
  return { queue: queue.name, job: String(id) };
}

/** Pauses or resumes the queue. A paused queue starts no job, but a running job continues. */
export async function setPaused(config: Config, isPaused: boolean): Promise<QueueState> {
  return await withQueue(config, async (queue, redis) => {
    await (isPaused ? queue.pause() : queue.resume());
    return await stateOf(queue, redis, config);
  });
}

/**
 * Removes a queue with its schedules and jobs from Redis, for a registry that is no longer configured. The warehouse and
 * the ledger are not touched.
 */
export async function removeQueue(config: Config, name: string): Promise<void> {
  const keys = redisKeysOf(config.worker.prefix, name);
  await withQueue(
    config,
    async (queue, redis) => {
      if ((await redis.hexists(keys.queues, name)) === 0)
        throw new UsageError(`Redis has no queue \`${name}\` of this program`, {
          hint: `Queues: ${Object.keys(await redis.hgetall(keys.queues)).join(', ') || 'none'}.`,
        });
      const leader = await leaderOf(redis, keys.leader);
      if (leader !== null)
        throw new UsageError(`the worker ${leader.worker} serves the queue \`${name}\``, {
          hint: 'Stop this worker first, or remove the registry from its configuration.',
        });
      await queue.obliterate({ force: true });
      // Other keys can be left, such as those that an earlier version wrote.
      const match = `${config.worker.prefix}:${name}:`.replaceAll(/[*?[\]\\]/g, '\\$&');
      for await (const rest of redis.scanStream({ match: `${match}*` }))
        for (const key of rest) await redis.del(key);
      await redis.hdel(keys.queues, name);
    },
    name,
  );
}

async function stateOf(queue: MirrorQueue, redis: Redis, { worker }: Config): Promise<QueueState> {
  const isServed = (await leaderOf(redis, redisKeysOf(worker.prefix, queue.name).leader)) !== null;
  return { queue: queue.name, isPaused: await queue.isPaused(), isServed };
}

/** Connects to Redis, calls `use`, and closes the connection. @throws UsageError if Redis does not respond. */
export async function withQueue<Result>(
  config: Config,
  use: (queue: MirrorQueue, redis: Redis) => Promise<Result>,
  name = queueNameOf(config),
): Promise<Result> {
  const redis = await connectOnce(config.worker.redis_url);
  const queue = openQueue(config, redis, () => {}, name);
  try {
    return await use(queue, redis);
  } finally {
    await queue.close();
    redis.disconnect();
  }
}

/** The worker's state, for `status`. */
export type WorkerStatus = NonNullable<Awaited<ReturnType<typeof readStatus>>>;

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
) {
  const keys = redisKeysOf(prefix, queue.name);
  const reconciledAt = await redis.hget(keys.queues, queue.name);
  const leader = await leaderOf(redis, keys.leader);
  if (leader === null && reconciledAt === null) return null;
  const nextInRedis = new Map((await queue.getJobSchedulers()).map(({ key, next }) => [key, next]));
  return {
    queue: queue.name,
    /** The worker that leads the queue; null if no worker runs. */
    leader,
    /** True if a user has paused the queue, so that no job starts. */
    paused: await queue.isPaused(),
    schedules: schedules.map(({ name, schedule, lastRun }) => {
      const next = nextInRedis.get(name) ?? null;
      return {
        name,
        ...schedule,
        /** When any worker last started the job, UTC; null if it has never run. */
        last_at: lastRun?.startedAt ?? null,
        /** The last run's ending; null if it is in progress or its process was killed. */
        last_ended: lastRun?.ended ?? null,
        /**
         * The next scheduled time, UTC; null if the schedule is not in Redis, for example because no quota will ever be
         * available again.
         */
        next_at: next === null ? null : isoTime(next),
        /** When the worker last verified the schedule, UTC; null if the schedule is not in Redis. */
        heartbeat_at: next === null ? null : reconciledAt,
      };
    }),
    /** The number of jobs in each BullMQ state. */
    jobs: (await queue.getJobCounts()) as Readonly<Record<string, number>>,
  };
}
