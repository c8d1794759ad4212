import { isoTime } from '../src/clock.ts';
import type { Config } from '../src/config.ts';
import { UsageError } from '../src/errors.ts';
import { JOB_VERSION } from './job.ts';
import { openQueue, priorityOf, retention } from './queue.ts';
import { connectOnce } from './redis.ts';

/** A backfill that was handed to the worker. */
export interface AskedBackfill {
  readonly queue: string;
  readonly job: string;
}

/**
 * Hands a backfill to the worker of this registry; `maxCalls`: the most that it may spend in all, Infinity: no
 * bound. Throws UsageError when no Redis answers, or a backfill already waits.
 */
export async function askForBackfill(
  config: Config,
  maxCalls: number,
  nowMs: number,
): Promise<AskedBackfill> {
  const redis = await connectOnce(config.worker.redis_url);
  const queue = openQueue(config, redis, () => {});
  try {
    const data = {
      version: JOB_VERSION,
      because: 'it was asked for',
      max_calls: maxCalls === Number.POSITIVE_INFINITY ? null : maxCalls,
      asked_at: isoTime(nowMs),
    } as const;
    const waiting = await queue.getDeduplicationJobId('backfill');
    if (waiting !== null)
      throw new UsageError(`a backfill of ${queue.name} already waits, or is at work (job ${waiting})`, {
        hint: 'Let it end, or remove it on the dashboard.',
      });
    const job = await queue.add('backfill', data, {
      priority: priorityOf('backfill', config.focus),
      ...retention(),
      deduplication: { id: 'backfill' },
    });
    return { queue: queue.name, job: String(job.id) };
  } finally {
    await queue.close();
    redis.disconnect();
  }
}
