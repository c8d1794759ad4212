import type { JobState, LastRun, QueueFacts } from '../../jobs/due_jobs.ts';
import type { ScheduledJob } from '../../jobs/job.ts';
import type { RegistrySnapshot } from '../../jobs/registry_snapshot.ts';
import { SCHEDULED_JOBS } from '../../jobs/scheduled_jobs.ts';
import { isoTime } from '../../src/clock.ts';
import type { Config } from '../../src/config/config.ts';
import { periodOf } from '../../src/cron/cron_times.ts';
import { neededJobs } from '../../src/report/schedules.ts';
import { FACT_CONFIG, factsAt } from './facts.ts';

/** The state of a job without an event. */
export function jobStateOf(job: ScheduledJob, config: Config, lastRun: LastRun | null): JobState {
  const schedule = { pattern: job.pattern(config), timezone: config.schedule.timezone };
  return { job, scheduled: { schedule, periodMs: periodOf(schedule) }, lastRun, event: null };
}

/** A snapshot of a registry in which every job has just ended. `given` replaces some properties of its queue. */
export function snapshotOf(
  { hasRun = true, ...given }: Partial<QueueFacts> & { readonly hasRun?: boolean } = {},
  config = FACT_CONFIG,
  nowMs = Date.now(),
): RegistrySnapshot {
  const done: LastRun = {
    runId: 1,
    startedAt: isoTime(nowMs),
    endedAt: isoTime(nowMs),
    ended: 'done',
    calls: 0,
  };
  return {
    facts: factsAt(nowMs),
    queue: {
      nowMs,
      closedUntilMs: null,
      isHeld: false,
      ...given,
    },
    jobs: neededJobs(SCHEDULED_JOBS, config).map((job) => jobStateOf(job, config, hasRun ? done : null)),
    lastCallId: 0,
    newCalls: [],
  };
}
