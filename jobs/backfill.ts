import type { Config } from '../src/config/config.ts';
import { FailedError } from '../src/errors.ts';
import { runBackfill } from '../src/operations/backfill.ts';
import { callsSpentSince } from '../src/warehouse/activity.ts';
import { openWarehouse } from '../src/warehouse/warehouse.ts';
import type { JobData, JobKind, JobResult } from './job.ts';

/**
 * Works on a backfill that is kept in the warehouse, and leaves the reserve of the allowance to the scheduled
 * work. It is asked for, not scheduled, and one job lasts until it is done, slice by slice.
 */
export const backfill: JobKind & { readonly name: 'backfill' } = {
  name: 'backfill',
  work: async (workspace, { backfill: asked }, { focus: _, ...bounds }) => {
    if (asked === undefined) throw new FailedError('this job does not say which backfill it is for');
    const spent = callsSpentSince(workspace.warehouse.db, 'backfill', Date.parse(asked.asked_at));
    const maxCalls = Math.min(bounds.maxCalls, (asked.max_calls ?? Number.POSITIVE_INFINITY) - spent);
    return (await runBackfill(workspace, { ...bounds, maxCalls, backfillId: asked.id })).run;
  },
};

/** Has it made all the calls that it was asked to make at most? */
export function isRequestSpent(
  { warehouse: path }: Config,
  { backfill: asked }: JobData,
  nowMs: number,
): boolean {
  if (asked === undefined || asked.max_calls === null) return false;
  const warehouse = openWarehouse({ path, readonly: true, nowMs });
  try {
    return callsSpentSince(warehouse.db, 'backfill', Date.parse(asked.asked_at)) >= asked.max_calls;
  } finally {
    warehouse.close();
  }
}

/** When the next slice of a backfill may begin, epoch milliseconds; null: it is done, or can spend no more for good. */
export function continuesAtMs({ ended, resumes_at }: JobResult, nowMs: number): number | null {
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

const ANOTHER_RUN_MS = 30_000;
const SHORTEST_PAUSE_MS = 60_000;
