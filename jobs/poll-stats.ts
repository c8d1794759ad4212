import type { ScheduledJob } from './job.ts';

/** Asks for the registry's own statistics when they are due. */
export const pollStats: ScheduledJob = {
  name: 'poll-stats',
  kinds: new Set(['stats']),
  purpose: 'scheduled',
  pattern: ({ schedule }) => schedule.stats,
  broughtForward: () => null,
};
