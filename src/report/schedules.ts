import type { Database } from 'better-sqlite3';
import type { LedgerState } from '../allowance/ledger.ts';
import { closedUntilMs } from '../allowance/remaining_quota.ts';
import { isoTime } from '../clock.ts';
import { type CronSchedule, nextTime, periodOf } from '../cron/cron_times.ts';
import { HOUR_MS } from '../durations.ts';
import { lastRunOf, lastSuccessAt, type RunRow } from '../warehouse/run.ts';

/** The part of the configuration that defines the worker's schedules. */
export interface ScheduleSettings {
  readonly schedule: { readonly timezone: string };
  readonly jobs: readonly ScheduledJobSettings[];
}

interface ScheduledJobSettings {
  /** The job's name, such as `poll-stats`. */
  readonly name: string;
  /** The job's title on the page, such as `Statistics`. */
  readonly title: string;
  /** The cron pattern. */
  readonly pattern: string;
  /** The maximum age of this job's data in milliseconds, or null if there is none. */
  readonly dueMs: number | null;
}

/** One scheduled job. */
export interface ScheduleFacts extends Omit<ScheduledJobSettings, 'pattern'> {
  readonly schedule: CronSchedule;
  readonly periodMs: number;
  readonly lastRun: RunRow | null;
  /** When the last successful run ended, UTC; null if no run has succeeded. */
  readonly lastSuccessAt: string | null;
  /** The next scheduled time at which calls can be sent; Infinity if no quota will ever be available again. */
  readonly nextMs: number;
  /** Whether a worker ran the job at its last scheduled time. */
  readonly isServed: boolean;
  /**
   * The scheduled time at which the job did not run; null if it did. Only a job that a worker has run before can be
   * overdue. A `sync` counts as running every job, because it does the work of all jobs.
   */
  readonly overdueSinceMs: number | null;
}

export function readSchedules(
  db: Database,
  { schedule: { timezone }, jobs }: ScheduleSettings,
  { ledger, nowMs }: { readonly ledger: LedgerState; readonly nowMs: number },
): ScheduleFacts[] {
  const lastSyncMs = Date.parse(lastRunOf(db, 'sync')?.startedAt ?? isoTime(0));
  const closedMs = closedUntilMs(ledger, nowMs) ?? nowMs;
  const isLate = (dueMs: number) => dueMs + GRACE_MS < nowMs;
  return jobs.map(({ pattern, ...job }): ScheduleFacts => {
    const { name } = job;
    const schedule = { pattern, timezone };
    const lastRun = lastRunOf(db, name);
    const ranMs = lastRun === null ? null : Date.parse(lastRun.startedAt);
    const dueMs = ranMs === null ? null : nextTime(schedule, Math.max(ranMs, lastSyncMs));
    return {
      ...job,
      schedule,
      lastRun,
      periodMs: periodOf(schedule),
      lastSuccessAt: lastSuccessAt(db, name),
      nextMs: closedMs === Infinity ? Infinity : nextTime(schedule, Math.max(nowMs, closedMs - 1)),
      isServed: ranMs !== null && !isLate(nextTime(schedule, ranMs)),
      overdueSinceMs: dueMs !== null && isLate(dueMs) ? dueMs : null,
    };
  });
}

// A job is overdue only after this delay, because it may be waiting for other jobs, and a restarted worker queues
// missed jobs.
const GRACE_MS = HOUR_MS;
