import { isoTime } from '../src/clock.ts';
import { type CronSchedule, nextTime } from '../src/cron/cron_times.ts';
import type { EarlierDue, ScheduledJob } from './job.ts';

/** The facts that decide which jobs belong in the queue. The warehouse and the ledger contain them all. */
export interface QueueFacts {
  readonly nowMs: number;
  /** The last run of each scheduled job, by job name; null if the job has never run. */
  readonly lastRuns: Readonly<Record<string, LastRun | null>>;
  /** The event that makes a job due before its scheduled time, by job name; null if there is no such event. */
  readonly earlierDue: Readonly<Record<string, EarlierDue | null>>;
  /** When calls are permitted again, in epoch milliseconds. Null means now, and Infinity means never. */
  readonly closedUntilMs: number | null;
  /** True if another process holds the warehouse's lock. */
  readonly isHeld: boolean;
}

export interface LastRun {
  readonly runId: number;
  readonly startedAtMs: number;
  /** When the run ended, in epoch milliseconds; null if the run is in progress or its process was killed. */
  readonly endedAtMs: number | null;
  readonly ended: string | null;
  readonly calls: number;
}

export interface JobState {
  readonly job: ScheduledJob;
  readonly schedule: CronSchedule;
  /** True if a job with this name is queued or running. */
  readonly isPending: boolean;
  /** When a job with this name last failed before its run started; null if never. */
  readonly failedAtMs: number | null;
}

/**
 * Returns the due jobs that are not queued, and why each is due. Jobs that BullMQ will queue at their scheduled time
 * are not included.
 */
export function jobsToQueue(
  facts: QueueFacts,
  states: readonly JobState[],
): { job: ScheduledJob; because: string }[] {
  const isClosed = facts.isHeld || (facts.closedUntilMs ?? 0) > facts.nowMs;
  if (isClosed) return [];
  return states.flatMap((state) => {
    if (state.isPending) return [];
    const because = reasonFor(state, facts);
    return because === null ? [] : [{ job: state.job, because }];
  });
}

/**
 * Returns whether the run makes a job at this scheduled time unnecessary: it started at that time or later, and did not
 * fail.
 */
export function isCovered(scheduledMs: number, { startedAtMs, endedAtMs, ended }: LastRun): boolean {
  return startedAtMs >= scheduledMs && endedAtMs !== null && ended !== 'failed';
}

function reasonFor({ job, schedule, failedAtMs }: JobState, facts: QueueFacts): string | null {
  const { nowMs } = facts;
  const last = facts.lastRuns[job.name] ?? null;
  const triedAtMs = Math.max(last?.startedAtMs ?? 0, failedAtMs ?? 0);
  if (triedAtMs === 0) return 'the job has never run';
  const dueMs = nextTime(schedule, triedAtMs);
  if (dueMs + SCHEDULE_IS_LATE_AFTER_MS <= nowMs) return `no run since the job was due at ${isoTime(dueMs)}`;
  if (last === null || triedAtMs > last.startedAtMs) return null;
  if (last.endedAtMs === null) return 'the previous run was killed';
  if (isUnfinished(last, nowMs)) return `the previous run ended with ${last.ended}`;
  const earlier = facts.earlierDue[job.name] ?? null;
  return earlier !== null && earlier.atMs > last.startedAtMs ? earlier.because : null;
}

/**
 * Returns whether the run ended before its work was done. After a run without calls, the next run waits a minute,
 * because runs that cannot make calls would otherwise follow each other endlessly.
 */
function isUnfinished({ ended, endedAtMs, calls }: LastRun, nowMs: number): boolean {
  if (ended === null || !UNFINISHED.has(ended)) return false;
  return calls > 0 || nowMs - (endedAtMs ?? nowMs) >= IDLE_RETRY_MS;
}

const UNFINISHED: ReadonlySet<string> = new Set(['max_minutes', 'max_calls', 'allowance', 'interrupted']);
const SCHEDULE_IS_LATE_AFTER_MS = 3000;
const IDLE_RETRY_MS = 60_000;
