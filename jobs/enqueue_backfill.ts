import { isoTime } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { UsageError } from '../src/errors.ts';
import { backfill } from './backfill.ts';
import { JOB_VERSION, type JobData } from './job.ts';
import { jobOptions, MOST_RETRIES, openQueue } from './queue.ts';
import { connectOnce } from './redis.ts';

export interface QueuedBackfill {
  readonly queue: string;
  readonly job: string;
}

/**
 * Adds a stored backfill to the queue of its registry. `maxCalls` limits the calls from now on; Infinity: no limit.
 *
 * @throws UsageError if Redis does not respond, or if the queue already contains this backfill.
 */
export async function enqueueBackfill(
  config: Config,
  request: { readonly backfillId: number; readonly maxCalls: number; readonly nowMs: number },
): Promise<QueuedBackfill> {
  const { backfillId, maxCalls, nowMs } = request;
  const redis = await connectOnce(config.worker.redis_url);
  const queue = openQueue(config, redis, () => {});
  const deduplication = { id: `backfill-${backfillId}` };
  try {
    const queued = await queue.getDeduplicationJobId(deduplication.id);
    if (queued !== null)
      throw new UsageError(
        `the queue ${queue.name} already contains backfill ${backfillId} (job ${queued})`,
        {
          hint: 'Wait until it ends, or remove it on the dashboard.',
        },
      );
    const data: JobData = {
      version: JOB_VERSION,
      because: 'a user queued it',
      backfill: {
        id: backfillId,
        max_calls: maxCalls === Number.POSITIVE_INFINITY ? null : maxCalls,
        asked_at: isoTime(nowMs),
      },
    };
    const options = jobOptions(backfill.priority(config.focus), 1 + MOST_RETRIES);
    const job = await queue.add(backfill.name, data, { ...options, deduplication });
    return { queue: queue.name, job: String(job.id) };
  } finally {
    await queue.close();
    redis.disconnect();
  }
}
