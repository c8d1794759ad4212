import { isoTime } from '../src/clock.ts';
import { type CronSchedule, nextTime } from '../src/cron/cron_times.ts';
import { ENDINGS } from '../src/ending.ts';
import type { RunRow } from '../src/warehouse/run.ts';
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

export type LastRun = Pick<RunRow, 'runId' | 'startedAt' | 'endedAt' | 'ended' | 'calls'>;

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
export function isCovered(scheduledMs: number, { startedAt, endedAt, ended }: LastRun): boolean {
  return Date.parse(startedAt) >= scheduledMs && endedAt !== null && ended !== 'failed';
}

function reasonFor({ job, schedule, failedAtMs }: JobState, facts: QueueFacts): string | null {
  const { nowMs } = facts;
  const last = facts.lastRuns[job.name] ?? null;
  const startedAtMs = last === null ? 0 : Date.parse(last.startedAt);
  const triedAtMs = Math.max(startedAtMs, failedAtMs ?? 0);
  if (triedAtMs === 0) return 'the job has never run';
  const dueMs = nextTime(schedule, triedAtMs);
  if (dueMs + SCHEDULE_IS_LATE_AFTER_MS <= nowMs) return `no run since the job was due at ${isoTime(dueMs)}`;
  if (last === null || triedAtMs > startedAtMs) return null;
  if (last.endedAt === null) return 'the previous run was killed';
  if (isUnfinished(last, nowMs)) return `the previous run ended before its work was done (${last.ended})`;
  const earlier = facts.earlierDue[job.name] ?? null;
  return earlier !== null && earlier.atMs > startedAtMs ? earlier.because : null;
}

/**
 * Returns whether the run ended before its work was done. After a run without calls, the next run waits a minute,
 * because runs that cannot make calls would otherwise follow each other endlessly.
 */
function isUnfinished({ ended, endedAt, calls }: LastRun, nowMs: number): boolean {
  const means = ENDINGS[ended ?? '']?.means;
  if (means !== 'paused' && means !== 'interrupted') return false;
  return calls > 0 || (endedAt !== null && nowMs - Date.parse(endedAt) >= IDLE_RETRY_MS);
}

const SCHEDULE_IS_LATE_AFTER_MS = 3000;
const IDLE_RETRY_MS = 60_000;
