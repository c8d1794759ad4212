import type { CallKind } from '../src/call.ts';
import { run } from '../src/operations/run.ts';
import { type JobSchedule, SCHEDULES } from '../src/report/schedules.ts';
import { currentCountSeen } from '../src/warehouse/coverage_counts.ts';
import { lastFindOf } from '../src/warehouse/run.ts';
import type { DueEvent, ScheduledJob } from './job.ts';

/** Requests the registry's statistics when they are due. */
export const pollStats: ScheduledJob = {
  ...jobOf(SCHEDULES.pollStats, 'stats'),
  priority: () => 1,
};

/** Searches for unknown companies, and detects changed summaries of known companies. */
const sweepSearch: ScheduledJob = {
  ...jobOf(SCHEDULES.sweepSearch, 'search'),
  // With `balanced`, sweeps and record jobs have the same priority, so their batches alternate and neither waits for ever.
  priority: (focus) => (focus === 'coverage' || focus === 'balanced' ? 2 : 3),
  dueSince: (db) => {
    const seen = currentCountSeen(db);
    return eventAt(seen?.isChange === 1 ? seen.observedAt : null, 'the statistics have changed');
  },
};

/** Fetches records that are missing, flagged as changed, or older than their maximum age. */
export const fetchEntities: ScheduledJob = {
  ...jobOf(SCHEDULES.fetchEntities, 'entity'),
  priority: (focus) => (focus === 'coverage' ? 3 : 2),
  dueSince: (db) =>
    eventAt(lastFindOf(db, SCHEDULES.sweepSearch.name), 'a sweep found new or changed companies'),
};

export const SCHEDULED_JOBS: readonly ScheduledJob[] = [pollStats, sweepSearch, fetchEntities];

/** Returns a job that sends one kind of call. */
function jobOf(schedule: JobSchedule, kind: CallKind): JobSchedule & Pick<ScheduledJob, 'process'> {
  const order = { command: schedule.name, purpose: 'scheduled', kinds: new Set([kind]) } as const;
  return { ...schedule, process: ({ workspace, bounds }) => run(workspace, { ...bounds, ...order }) };
}

function eventAt(at: string | null, because: string): DueEvent | null {
  return at === null ? null : { atMs: Date.parse(at), because };
}
