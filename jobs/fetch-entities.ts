import type { ScheduledJob } from './job.ts';

/** Fetches the records that are missing, flagged as changed, or too old. */
export const fetchEntities: ScheduledJob = {
  name: 'fetch-entities',
  kinds: new Set(['entity']),
  purpose: 'scheduled',
  pattern: ({ schedule }) => schedule.entities,
  broughtForward: ({ companiesFoundAtMs: atMs }) =>
    atMs === null ? null : { atMs, because: 'a sweep found new or changed companies' },
};
