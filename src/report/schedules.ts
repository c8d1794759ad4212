import type { Database } from 'better-sqlite3';
import type { LedgerState } from '../allowance/ledger.ts';
import { closedUntilMs } from '../allowance/remaining_quota.ts';
import type { CallKind } from '../call.ts';
import { isoTime } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { type CronSchedule, nextTime, periodOf } from '../cron/cron_times.ts';
import { HOUR_MS } from '../durations.ts';
import { currentCountSeen } from '../warehouse/coverage_counts.ts';
import { lastFindOf, lastRunOf, lastSuccessAt } from '../warehouse/run.ts';

/** A job of the worker that sends one kind of calls at the times given by a cron pattern. */
export interface JobSchedule {
  /** The job's name in the queue and in `_run.command`. */
  readonly name: string;
  readonly kind: CallKind;
  /** The job's title on the status page, such as `Statistics`. */
  readonly title: string;
  /** The job's cron pattern. */
  pattern(config: Config): string;
  /** The priority in the queue. The job with the lowest number runs first. */
  priority(focus: Config['focus']): number;
  /**
   * Returns the last event that makes the job due before its scheduled time, or null if there is none. An event before
   * the start of the job's last run is ignored.
   */
  dueSince?(db: Database): DueEvent | null;
  /** The age at which this job's data becomes due, in milliseconds. The status page shows it. */
  maxAgeMs?(config: Config): number;
  /** Whether the job can have something to do. A job without this method always can. */
  isNeeded?(config: Config): boolean;
}

export interface DueEvent {
  /** When the event occurred, in epoch milliseconds. */
  readonly atMs: number;
  readonly because: string;
}

const SWEEP = 'sweep-search';

/** All scheduled jobs. To add one, add an entry. */
export const JOB_SCHEDULES: readonly JobSchedule[] = [
  {
    name: 'poll-stats',
    kind: 'stats',
    title: 'Statistics',
    priority: () => 1,
    pattern: ({ schedule }) => schedule.stats,
    maxAgeMs: ({ max_age }) => max_age.stats.ms,
    isNeeded: ({ upstream }) => upstream.paths.stats !== null,
  },
  {
    // Searches for unknown companies, and detects changed summaries of known companies.
    name: SWEEP,
    kind: 'search',
    title: 'Searches',
    // With `balanced`, sweeps and record jobs have the same priority, so their batches alternate and neither waits for ever.
    priority: (focus) => (focus === 'coverage' || focus === 'balanced' ? 2 : 3),
    pattern: ({ schedule }) => schedule.sweep,
    maxAgeMs: ({ max_age }) => max_age.summaries.ms,
    dueSince(db) {
      const seen = currentCountSeen(db);
      return eventAt(seen?.isChange === 1 ? seen.observedAt : null, 'the statistics have changed');
    },
  },
  {
    // Fetches records that are missing, flagged as changed, or older than their maximum age.
    name: 'fetch-entities',
    kind: 'entity',
    title: 'Records',
    priority: (focus) => (focus === 'coverage' ? 3 : 2),
    pattern: ({ schedule }) => schedule.entities,
    maxAgeMs: ({ max_age }) => max_age.records.ms,
    dueSince: (db) => eventAt(lastFindOf(db, SWEEP), 'a sweep found new or changed companies'),
  },
];

function eventAt(at: string | null, because: string): DueEvent | null {
  return at === null ? null : { atMs: Date.parse(at), because };
}

/** Returns the jobs that this configuration needs. */
export function neededJobs<Job extends JobSchedule>(jobs: readonly Job[], config: Config): Job[] {
  return jobs.filter(({ isNeeded }) => isNeeded?.(config) ?? true);
}

/** A scheduled job's state. */
export type ScheduleFacts = ReturnType<typeof readSchedules>[number];

export function readSchedules(
  db: Database,
  config: Config,
  jobs: readonly JobSchedule[],
  { ledger, nowMs }: { readonly ledger: LedgerState; readonly nowMs: number },
) {
  const lastSyncMs = Date.parse(lastRunOf(db, 'sync')?.startedAt ?? isoTime(0));
  const closedMs = closedUntilMs(ledger, nowMs) ?? nowMs;
  const isLate = (dueMs: number) => dueMs + GRACE_MS < nowMs;
  return neededJobs(jobs, config).map(({ name, title, pattern, maxAgeMs }) => {
    const schedule: CronSchedule = { pattern: pattern(config), timezone: config.schedule.timezone };
    const lastRun = lastRunOf(db, name);
    const ranMs = lastRun === null ? null : Date.parse(lastRun.startedAt);
    const dueMs = ranMs === null ? null : nextTime(schedule, Math.max(ranMs, lastSyncMs));
    return {
      name,
      title,
      /** The maximum age of this job's data in milliseconds, or null if there is none. */
      dueMs: maxAgeMs?.(config) ?? null,
      schedule,
      lastRun,
      periodMs: periodOf(schedule),
      /** When the last successful run ended, UTC; null if no run has succeeded. */
      lastSuccessAt: lastSuccessAt(db, name),
      /** The next scheduled time at which calls can be sent; Infinity if no quota will ever be available again. */
      nextMs: closedMs === Infinity ? Infinity : nextTime(schedule, Math.max(nowMs, closedMs - 1)),
      /** Whether a worker ran the job at its last scheduled time. */
      isServed: ranMs !== null && !isLate(nextTime(schedule, ranMs)),
      /**
       * The scheduled time at which the job did not run; null if it did. Only a job that a worker has run before can be
       * overdue. A `sync` counts as running every job, because it does the work of all jobs.
       */
      overdueSinceMs: dueMs !== null && isLate(dueMs) ? dueMs : null,
    };
  });
}

// A job is overdue only after this delay, because it may be waiting for other jobs, and a restarted worker queues
// missed jobs.
const GRACE_MS = HOUR_MS;
