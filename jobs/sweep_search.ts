import { run } from '../src/operations/run.ts';
import { statisticsChangedAt } from '../src/warehouse/activity.ts';
import type { ScheduledJob } from './job.ts';

/** Searches for unknown companies, and detects changed summaries of known companies. */
export const sweepSearch: ScheduledJob = {
  name: 'sweep-search',
  title: 'Searches',
  spendsCalls: true,
  priority: (focus) => (focus === 'coverage' ? 2 : 3),
  pattern: ({ schedule }) => schedule.sweep,
  maxAgeMs: ({ max_age }) => max_age.summaries.ms,
  earlierDue: (db) => {
    const changedAt = statisticsChangedAt(db);
    return changedAt === null
      ? null
      : { atMs: Date.parse(changedAt), because: 'the statistics have changed' };
  },
  process: ({ workspace, bounds }) =>
    run(workspace, { ...bounds, command: 'sweep-search', purpose: 'scheduled', kinds: new Set(['search']) }),
};
