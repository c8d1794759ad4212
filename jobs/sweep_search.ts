import { run } from '../src/operations/run.ts';
import { statisticsChangedAt } from '../src/warehouse/activity.ts';
import type { ScheduledJob } from './job.ts';
import { SCHEDULES } from './schedules.ts';

/** Searches for unknown companies, and detects changed summaries of known companies. */
export const sweepSearch: ScheduledJob = {
  ...SCHEDULES.sweepSearch,
  // With `balanced`, sweeps and record jobs have the same priority, so their batches alternate and neither waits for ever.
  priority: (focus) => (focus === 'coverage' || focus === 'balanced' ? 2 : 3),
  earlierDue: (db) => {
    const changedAt = statisticsChangedAt(db);
    return changedAt === null
      ? null
      : { atMs: Date.parse(changedAt), because: 'the statistics have changed' };
  },
  process: ({ workspace, bounds }) =>
    run(workspace, { ...bounds, command: 'sweep-search', purpose: 'scheduled', kinds: new Set(['search']) }),
};
