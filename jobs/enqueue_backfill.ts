import { isoTime } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { UsageError } from '../src/errors.ts';
import { JOB_VERSION, type JobData } from './job.ts';
import { openQueue, priorityOf, retention } from './queue.ts';
import { connectOnce } from './redis.ts';

/** A backfill that was handed to the worker. */
export interface AskedBackfill {
  readonly queue: string;
  readonly job: string;
}

/**
 * Hands a backfill that is kept in the warehouse to the worker of this registry; `maxCalls`: the most that it may
 * spend from now on, Infinity: no bound. Throws UsageError when no Redis answers, or it was handed over before.
 */
export async function askForBackfill(
  config: Config,
  asked: { readonly backfillId: number; readonly maxCalls: number; readonly nowMs: number },
): Promise<AskedBackfill> {
  const { backfillId, maxCalls, nowMs } = asked;
  const redis = await connectOnce(config.worker.redis_url);
  const queue = openQueue(config, redis, () => {});
  const deduplication = { id: `backfill-${backfillId}` };
  try {
    const waiting = await queue.getDeduplicationJobId(deduplication.id);
    if (waiting !== null)
      throw new UsageError(
        `backfill ${backfillId} already waits in ${queue.name}, or is at work (job ${waiting})`,
        {
          hint: 'Let it end, or remove it on the dashboard.',
        },
      );
    const data: JobData = {
      version: JOB_VERSION,
      because: 'it was asked for',
      backfill: {
        id: backfillId,
        max_calls: maxCalls === Number.POSITIVE_INFINITY ? null : maxCalls,
        asked_at: isoTime(nowMs),
      },
    };
    const priority = priorityOf('backfill', config.focus);
    const job = await queue.add('backfill', data, { priority, ...retention(), deduplication });
    return { queue: queue.name, job: String(job.id) };
  } finally {
    await queue.close();
    redis.disconnect();
  }
}
