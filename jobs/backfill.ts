import { runBackfill } from '../src/operations/backfill.ts';
import { limitQueuedBackfill, queuedBackfills, unqueueBackfill } from '../src/warehouse/backfill.ts';
import { openWarehouse } from '../src/warehouse/warehouse.ts';
import type { JobDefinition } from './job.ts';

/**
 * Processes the backfill that was queued first. The warehouse stores which backfills are queued, so this job is due as
 * long as there is one. It has no schedule. The allowance's reserve is kept for scheduled jobs.
 */
export const backfill: JobDefinition = {
  name: 'backfill',
  priority: () => 4,
  dueSince: (db) => {
    const [queued] = queuedBackfills(db);
    return queued === undefined
      ? null
      : { atMs: Date.parse(queued.queuedAt), because: `a user queued backfill ${queued.backfillId}` };
  },
  process: async ({ workspace, bounds: { onProgress, ...bounds } }) => {
    const { warehouse } = workspace;
    const [queued] = queuedBackfills(warehouse.db);
    // It was cancelled, an earlier job has ended it, or the warehouse was restored from an earlier backup.
    if (queued === undefined) return null;
    const { backfillId, maxCalls } = queued;
    const { run } = await runBackfill(workspace, {
      ...bounds,
      backfillId,
      maxCalls: Math.min(bounds.maxCalls ?? Infinity, maxCalls ?? Infinity),
      onProgress: (totals, outcomes) => {
        if (maxCalls !== null) limitQueuedBackfill(warehouse.db, backfillId, maxCalls - totals.calls);
        onProgress?.(totals, outcomes);
      },
    });
    if (maxCalls !== null && run.totals.calls >= maxCalls) unqueueBackfill(warehouse.db, backfillId);
    return run;
  },
  onFailed: ({ warehouse: path }, nowMs) => {
    using warehouse = openWarehouse({ path, nowMs });
    const [queued] = queuedBackfills(warehouse.db);
    if (queued !== undefined) unqueueBackfill(warehouse.db, queued.backfillId);
  },
};
