import { run } from '../src/operations/run.ts';
import type { ScheduledJob } from './job.ts';

/** Searches for companies that are not known yet, and sees which of the known ones changed. */
export const sweepSearch: ScheduledJob = {
  name: 'sweep-search',
  work: (workspace, _data, bounds) =>
    run(workspace, { ...bounds, command: 'sweep-search', purpose: 'scheduled', kinds: new Set(['search']) }),
  pattern: ({ schedule }) => schedule.sweep,
  broughtForward: ({ statisticsChangedAtMs: atMs }) =>
    atMs === null ? null : { atMs, because: 'the statistics changed' },
};
