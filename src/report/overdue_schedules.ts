import type { Database } from 'better-sqlite3';
import { CronExpressionParser } from 'cron-parser';
import { isoTime } from '../clock.ts';
import { lastRunOf } from '../warehouse/activity.ts';

/** The scheduled jobs of the worker, as health and the status page need them. */
export interface Schedules {
  readonly schedule: { readonly timezone: string };
  readonly jobs: readonly { readonly name: string; readonly pattern: string }[];
}

/** A job whose scheduled time passed without a run. */
export interface OverdueSchedule {
  /** `poll-stats` */
  readonly name: string;
  readonly dueMs: number;
}

/**
 * The jobs that a worker has run before and that are now overdue. A `sync` does the work of every job. A mirror that
 * a worker never served has no overdue job.
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
    const dueMs = nextTimeMs(pattern, schedule.timezone, servedMs);
    return dueMs + GRACE_MS < nowMs ? [{ name, dueMs }] : [];
  });
}

/** The first scheduled time after `afterMs`. The hash seed is the worker's, so that `H` gives the same minute. */
export function nextTimeMs(pattern: string, timezone: string, afterMs: number): number {
  const currentDate = new Date(afterMs);
  return CronExpressionParser.parse(pattern, { tz: timezone, currentDate, hashSeed: pattern })
    .next()
    .getTime();
}

// A job waits for the jobs before it, and a restarted worker queues missed jobs.
const GRACE_MS = 60 * 60_000;
