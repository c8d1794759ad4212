import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { nextTime } from '../cron/cron_times.ts';
import { HOUR_MS } from '../durations.ts';
import { lastRunOf } from '../warehouse/activity.ts';

/** The part of the worker's schedules that the health status and the status page need. */
export interface Schedules {
  readonly schedule: { readonly timezone: string };
  readonly jobs: readonly { readonly name: string; readonly pattern: string }[];
}

/** A job that did not run at its scheduled time. */
export interface OverdueSchedule {
  /** The job's name, such as `poll-stats`. */
  readonly name: string;
  readonly dueMs: number;
}

/**
 * Returns the overdue jobs. Only jobs that a worker has run before can be overdue. A `sync` counts as running every
 * job, because it does the work of all jobs.
 */
export function overdueSchedules(
  db: Database,
  { schedule, jobs }: Schedules,
  nowMs: number,
): OverdueSchedule[] {
  const lastSyncMs = Date.parse(lastRunOf(db, 'sync')?.startedAt ?? isoTime(0));
  return jobs.flatMap(({ name, pattern }) => {
    const lastRun = lastRunOf(db, name)?.startedAt;
    if (lastRun === undefined) return [];
    const servedMs = Math.max(Date.parse(lastRun), lastSyncMs);
    const dueMs = nextTime({ pattern, timezone: schedule.timezone }, servedMs);
    return dueMs + GRACE_MS < nowMs ? [{ name, dueMs }] : [];
  });
}

// A job is overdue only after this delay, because it may be waiting for other jobs, and a restarted worker queues
// missed jobs.
const GRACE_MS = HOUR_MS;
