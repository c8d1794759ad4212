import { runEngine } from '../src/operations/run.ts';
import { JOB_SCHEDULES } from '../src/report/schedules.ts';
import type { ScheduledJob } from './job.ts';

/** The scheduled jobs. Each of them sends one kind of calls. */
export const SCHEDULED_JOBS: readonly ScheduledJob[] = JOB_SCHEDULES.map((schedule) => {
  const order = { command: schedule.name, kinds: new Set([schedule.kind]) };
  return { ...schedule, process: ({ workspace, bounds }) => runEngine(workspace, { ...bounds, ...order }) };
});
