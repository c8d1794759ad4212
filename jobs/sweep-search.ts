import type { ScheduledJob } from './job.ts';

/** Searches for companies that are not known yet, and sees which of the known ones changed. */
export const sweepSearch: ScheduledJob = {
  name: 'sweep-search',
  kinds: new Set(['search']),
  purpose: 'scheduled',
  pattern: ({ schedule }) => schedule.sweep,
  broughtForward: ({ statisticsChangedAtMs: atMs }) =>
    atMs === null ? null : { atMs, because: 'the statistics changed' },
};
