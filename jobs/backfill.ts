import type { JobKind } from './job.ts';

/**
 * Works ahead of the schedules: lists and fetches all that is missing, and leaves the reserve of the allowance
 * to the scheduled work.
 */
export const backfill: JobKind & { readonly name: 'backfill' } = {
  name: 'backfill',
  kinds: new Set(['search', 'entity']),
  purpose: 'backfill',
};
