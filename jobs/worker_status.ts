import type { Redis } from 'ioredis';
import { isoTime } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import type { ScheduleStatus, WorkerStatus } from '../src/report/status_snapshot.ts';
import { lastRunOf } from '../src/warehouse/activity.ts';
import type { Warehouse } from '../src/warehouse/warehouse.ts';
import { SCHEDULED_JOBS } from './all_jobs.ts';
import { leaderOf } from './leadership.ts';
import { keysOf, queueNameOf } from './queue_name.ts';
import { connectOnce } from './redis.ts';
import { nextMoment } from './schedule.ts';
import { rhythmOf } from './schedule_reconciler.ts';

/** Asks Redis and the warehouse; null where no Redis answers, or no worker ever served this registry there. */
export async function readWorkerStatus(
  config: Config,
  warehouse: Warehouse,
  nowMs: number,
): Promise<WorkerStatus | null> {
  const redis = await connectOnce(config.worker.redis_url).catch(() => null);
  if (redis === null) return null;
  try {
    return await readStatus({ config, warehouse, redis, nowMs });
  } finally {
    redis.disconnect();
  }
}

interface Asked {
  readonly config: Config;
  readonly warehouse: Warehouse;
  readonly redis: Redis;
  readonly nowMs: number;
}

async function readStatus({ config, warehouse, redis, nowMs }: Asked): Promise<WorkerStatus | null> {
  const name = queueNameOf(config);
  const keys = keysOf(config.worker.prefix, name);
  const heartbeats = await redis.hgetall(keys.heartbeat);
  const leader = await leaderOf(redis, keys.leader);
  if (leader === null && Object.keys(heartbeats).length === 0) return null;
  // BullMQ is large, and most who ask for the status have no worker.
  const { openQueue } = await import('./queue.ts');
  const queue = openQueue(config, redis, () => {});
  const nextInRedis = new Map((await queue.getJobSchedulers()).map(({ key, next }) => [key, next]));
  const schedules = SCHEDULED_JOBS.map((job): ScheduleStatus => {
    const rhythm = rhythmOf(job, config);
    const last = lastRunOf(warehouse.db, job.name);
    return {
      name: job.name,
      ...rhythm,
      last_at: last?.startedAt ?? null,
      last_ended: last?.ended ?? null,
      next_at: isoTime(nextInRedis.get(job.name) ?? nextMoment(rhythm, nowMs)),
      heartbeat_at: heartbeats[job.name] ?? null,
    };
  });
  const jobs = await queue.getJobCounts();
  await queue.close();
  return { queue: name, leader, schedules, jobs };
}
