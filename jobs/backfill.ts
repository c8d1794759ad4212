import type { Config } from '../src/config/config.ts';
import { UsageError } from '../src/errors.ts';
import { runBackfill } from '../src/operations/backfill.ts';
import { callsSpentSince } from '../src/warehouse/activity.ts';
import { type QueuedBackfill, unqueueBackfill } from '../src/warehouse/backfill.ts';
import { openWarehouse } from '../src/warehouse/warehouse.ts';
import { type EngineJob, JOB_VERSION, type JobData } from './job.ts';
import type { JobResult } from './job_result.ts';
import { jobOptions, type MirrorJob, type MirrorQueue, MOST_RETRIES } from './queue.ts';

/**
 * Processes a backfill that is stored in the warehouse. This job has no schedule; a user queues it with `backfill
 * --enqueue`. One job runs batch after batch until the backfill is done. It leaves the reserve of the allowance to
 * scheduled jobs.
 */
export const backfill: EngineJob = {
  name: 'backfill',
  spendsCalls: true,
  priority: () => 4,
  process: async ({ workspace, data: { backfill: request }, bounds: { focus: _, ...bounds } }) => {
    if (request === undefined)
      throw new UsageError('the data of this job name no backfill', {
        hint: 'Queue a backfill with `registry-mirror backfill … --enqueue`.',
      });
    const spent = callsSpentSince(workspace.warehouse.db, 'backfill', Date.parse(request.asked_at));
    const maxCalls = Math.min(bounds.maxCalls, (request.max_calls ?? Number.POSITIVE_INFINITY) - spent);
    return (await runBackfill(workspace, { ...bounds, maxCalls, backfillId: request.id })).run;
  },
  continuesAtMs: ({ config, data, result, nowMs }) =>
    isRequestSpent(config, data, nowMs) ? null : nextBatchAtMs(result, nowMs),
  onEnded: ({ warehouse: path }, { backfill: request }, nowMs) => {
    if (request === undefined) return;
    const warehouse = openWarehouse({ path, nowMs });
    unqueueBackfill(warehouse.db, request.id);
    warehouse.close();
  },
};

/** Adds the job of a backfill to the queue. Returns null if the queue already contains it. */
export async function addBackfill(
  queue: MirrorQueue,
  { focus }: Config,
  { backfillId, queuedAt, maxCalls }: QueuedBackfill,
  because: string,
): Promise<MirrorJob | null> {
  const deduplication = { id: `backfill-${backfillId}` };
  if ((await queue.getDeduplicationJobId(deduplication.id)) !== null) return null;
  const request = { id: backfillId, max_calls: maxCalls, asked_at: queuedAt };
  return await queue.add(
    backfill.name,
    { version: JOB_VERSION, because, backfill: request },
    { ...jobOptions(backfill.priority(focus), 1 + MOST_RETRIES), deduplication },
  );
}

/**
 * The time at which the next batch may start, in epoch milliseconds; null: the backfill is done, or no quota will
 * return.
 */
export function nextBatchAtMs({ ended, resumes_at }: JobResult, nowMs: number): number | null {
  switch (ended) {
    case 'max_minutes':
    case 'max_calls':
    case 'interrupted':
      return nowMs;
    case 'another_run':
      return nowMs + ANOTHER_RUN_MS;
    case 'allowance':
      return resumes_at === null ? null : Math.max(Date.parse(resumes_at), nowMs + SHORTEST_PAUSE_MS);
    default:
      return null;
  }
}

/** Has this request used all the calls that it permits? */
function isRequestSpent({ warehouse: path }: Config, { backfill: request }: JobData, nowMs: number): boolean {
  if (request === undefined || request.max_calls === null) return false;
  const warehouse = openWarehouse({ path, readonly: true, nowMs });
  try {
    return callsSpentSince(warehouse.db, 'backfill', Date.parse(request.asked_at)) >= request.max_calls;
  } finally {
    warehouse.close();
  }
}

const ANOTHER_RUN_MS = 30_000;
const SHORTEST_PAUSE_MS = 60_000;
