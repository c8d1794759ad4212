import { run } from '../src/operations/run.ts';
import { lastFindOf } from '../src/warehouse/activity.ts';
import type { ScheduledJob } from './job.ts';
import { SCHEDULES } from './schedules.ts';

/** Fetches records that are missing, flagged as changed, or older than their maximum age. */
export const fetchEntities: ScheduledJob = {
  ...SCHEDULES.fetchEntities,
  priority: (focus) => (focus === 'coverage' ? 3 : 2),
  earlierDue: (db) => {
    const foundAt = lastFindOf(db, SCHEDULES.sweepSearch.name);
    return foundAt === null
      ? null
      : { atMs: Date.parse(foundAt), because: 'a sweep found new or changed companies' };
  },
  process: ({ workspace, bounds }) =>
    run(workspace, {
      ...bounds,
      command: 'fetch-entities',
      purpose: 'scheduled',
      kinds: new Set(['entity']),
    }),
};
