import type { JobKind, JobResult } from './job.ts';

/**
 * Works ahead of the schedules: lists and fetches all that is missing, and leaves the reserve of the allowance
 * to the scheduled work. It is asked for, not scheduled, and one job lasts until it is done, slice by slice.
 */
export const backfill: JobKind & { readonly name: 'backfill' } = {
  name: 'backfill',
  kinds: new Set(['search', 'entity']),
  purpose: 'backfill',
};

/** When the next slice of a backfill may begin, epoch milliseconds; null: it is done, or can spend no more for good. */
export function continuesAtMs({ ended, run, resumes_at }: JobResult, nowMs: number): number | null {
  switch (ended) {
    case 'max_minutes':
    case 'interrupted':
      return nowMs;
    case 'max_calls':
      // Without a run there were no calls left of those that were asked for.
      return run === null ? null : nowMs;
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
