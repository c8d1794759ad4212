import { run } from '../src/operations/run.ts';
import type { ScheduledJob } from './job.ts';

/** Fetches the records that are missing, flagged as changed, or too old. */
export const fetchEntities: ScheduledJob = {
  name: 'fetch-entities',
  work: (workspace, _data, bounds) =>
    run(workspace, {
      ...bounds,
      command: 'fetch-entities',
      purpose: 'scheduled',
      kinds: new Set(['entity']),
    }),
  pattern: ({ schedule }) => schedule.entities,
  broughtForward: ({ companiesFoundAtMs: atMs }) =>
    atMs === null ? null : { atMs, because: 'a sweep found new or changed companies' },
};
