import { run } from '../src/operations/run.ts';
import type { ScheduledJob } from './job.ts';
import { SCHEDULES } from './schedules.ts';

/** Requests the registry's statistics when they are due. */
export const pollStats: ScheduledJob = {
  ...SCHEDULES.pollStats,
  priority: () => 1,
  process: ({ workspace, bounds }) =>
    run(workspace, { ...bounds, command: 'poll-stats', purpose: 'scheduled', kinds: new Set(['stats']) }),
};
