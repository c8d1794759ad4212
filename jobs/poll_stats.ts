import { run } from '../src/operations/run.ts';
import type { ScheduledJob } from './job.ts';

/** Requests the registry's statistics when they are due. */
export const pollStats: ScheduledJob = {
  name: 'poll-stats',
  title: 'Statistics',
  spendsCalls: true,
  priority: () => 1,
  pattern: ({ schedule }) => schedule.stats,
  maxAgeMs: ({ max_age }) => max_age.stats.ms,
  process: ({ workspace, bounds }) =>
    run(workspace, { ...bounds, command: 'poll-stats', purpose: 'scheduled', kinds: new Set(['stats']) }),
};
