import type { Config } from '../src/config/config.ts';
import { UsageError } from '../src/errors.ts';
import { runBackfill } from '../src/operations/backfill.ts';
import { Backfills, type QueuedBackfill, unqueueBackfill } from '../src/warehouse/backfill.ts';
import { callsSpentSince } from '../src/warehouse/run.ts';
import { openWarehouse, type Warehouse } from '../src/warehouse/warehouse.ts';
import { JOB_VERSION, type JobData, type JobDefinition, JobRejected, type JobResult } from './job.ts';
import { jobOptions, type MirrorJob, type MirrorQueue, MOST_ATTEMPTS } from './queue.ts';

/**
 * Processes a backfill that is stored in the warehouse. This job has no schedule, because a user queues it with
 * `backfill --enqueue`. One job runs batch after batch until the backfill is done. The allowance's reserve is kept for
 * scheduled jobs.
 */
export const backfill: JobDefinition = {
  name: 'backfill',
  priority: () => 4,
  process: async ({ workspace, data: { backfill: request }, bounds: { focus: _, ...bounds } }) => {
    if (request === undefined)
      throw new UsageError('this job has no backfill in its data', {
        hint: 'Queue a backfill with `registry-mirror backfill … --enqueue`.',
      });
    if (new Backfills(workspace.warehouse.db).find(request.id) === null)
      throw new JobRejected(
        `the warehouse has no backfill ${request.id}, perhaps because it was restored from an earlier backup; the job did nothing. Queue the backfill again.`,
      );
    const maxCalls = Math.min(bounds.maxCalls, remainingCalls(workspace.warehouse, request));
    return (await runBackfill(workspace, { ...bounds, maxCalls, backfillId: request.id })).run;
  },
  continuesAtMs: ({ config, data: { backfill: request }, result, nowMs }) => {
    const isSpent = request && useWarehouse(config, nowMs, (file) => remainingCalls(file, request) <= 0);
    return isSpent ? null : nextBatchAtMs(result, nowMs);
  },
  onEnded: (config, { backfill: request }, nowMs) => {
    if (request !== undefined) useWarehouse(config, nowMs, ({ db }) => unqueueBackfill(db, request.id));
  },
};

/** Adds a backfill's job to the queue. Returns null if it is already in the queue. */
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
    { ...jobOptions(backfill.priority(focus), MOST_ATTEMPTS), deduplication },
  );
}

/**
 * Returns when the next batch may start, in epoch milliseconds. Returns null if the backfill is done or no quota will
 * ever be available again.
 */
export function nextBatchAtMs({ ended, resumes_at }: JobResult, nowMs: number): number | null {
  if (['max_minutes', 'max_calls', 'interrupted'].includes(ended)) return nowMs;
  if (ended === 'another_run') return nowMs + ANOTHER_RUN_MS;
  if (ended !== 'allowance' || resumes_at === null) return null;
  return Math.max(Date.parse(resumes_at), nowMs + SHORTEST_PAUSE_MS);
}

/** Returns the number of calls that this request still permits. */
function remainingCalls({ db }: Warehouse, request: NonNullable<JobData['backfill']>): number {
  if (request.max_calls === null) return Number.POSITIVE_INFINITY;
  return request.max_calls - callsSpentSince(db, 'backfill', Date.parse(request.asked_at));
}

function useWarehouse<Result>(
  { warehouse: path }: Config,
  nowMs: number,
  use: (warehouse: Warehouse) => Result,
): Result {
  using warehouse = openWarehouse({ path, nowMs });
  return use(warehouse);
}

const ANOTHER_RUN_MS = 30_000;
const SHORTEST_PAUSE_MS = 60_000;
