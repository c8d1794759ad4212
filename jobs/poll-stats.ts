import { run } from '../src/operations/run.ts';
import type { ScheduledJob } from './job.ts';

/** Asks for the registry's own statistics when they are due. */
export const pollStats: ScheduledJob = {
  name: 'poll-stats',
  work: (workspace, _data, bounds) =>
    run(workspace, { ...bounds, command: 'poll-stats', purpose: 'scheduled', kinds: new Set(['stats']) }),
  pattern: ({ schedule }) => schedule.stats,
  broughtForward: () => null,
};
