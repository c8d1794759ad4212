import { isoTime } from '../src/clock.ts';
import { nextTime } from '../src/cron/cron_times.ts';
import { ENDINGS } from '../src/ending.ts';
import type { DueEvent, ScheduleFacts } from '../src/report/schedules.ts';
import type { RunRow } from '../src/warehouse/run.ts';
import type { JobDefinition } from './job.ts';

/** Whether jobs can run now, as far as the warehouse and the ledger show. */
export interface QueueFacts {
  readonly nowMs: number;
  /** When calls are permitted again, in epoch milliseconds. Null means now, and Infinity means never. */
  readonly closedUntilMs: number | null;
  /** True if another process holds the warehouse's lock. */
  readonly isHeld: boolean;
}

export type LastRun = Pick<RunRow, 'runId' | 'startedAt' | 'endedAt' | 'ended' | 'calls'>;

/** A job, and what the warehouse shows about it. */
export interface JobState {
  readonly job: JobDefinition;
  /** Null if the job has no schedule. It is then due as long as there is an event. */
  readonly scheduled: Pick<ScheduleFacts, 'schedule' | 'periodMs'> | null;
  /** Null if the job has never run. */
  readonly lastRun: LastRun | null;
  /** The event that makes the job due without its schedule; null if there is no such event. */
  readonly event: DueEvent | null;
}

/** The attempts at jobs, by job name. */
interface JobAttempts {
  /** The jobs that are queued or running. */
  readonly pending: ReadonlySet<string>;
  /** The jobs whose last attempt failed before its run started. */
  readonly failures: ReadonlyMap<string, { readonly atMs: number }>;
}

/**
 * Returns the due jobs that are not queued, and why each is due. Jobs that BullMQ will queue at their scheduled time
 * are not included.
 */
export function jobsToQueue(
  { nowMs, closedUntilMs, isHeld }: QueueFacts,
  states: readonly JobState[],
  { pending, failures }: JobAttempts,
): { state: JobState; because: string }[] {
  if (isHeld || (closedUntilMs ?? 0) > nowMs) return [];
  return states.flatMap((state) => {
    const { name } = state.job;
    const because = pending.has(name) ? null : reasonFor(state, failures.get(name)?.atMs ?? 0, nowMs);
    return because === null ? [] : [{ state, because }];
  });
}

/**
 * Returns whether the run makes a job at this scheduled time unnecessary: it started at that time or later, and did not
 * fail.
 */
export function isCovered(scheduledMs: number, { startedAt, endedAt, ended }: LastRun): boolean {
  return Date.parse(startedAt) >= scheduledMs && endedAt !== null && ended !== 'failed';
}

function reasonFor(
  { scheduled, lastRun: last, event }: JobState,
  failedAtMs: number,
  nowMs: number,
): string | null {
  if (scheduled === null) return event === null || (last && isIdle(last, nowMs)) ? null : event.because;
  const startedAtMs = last === null ? 0 : Date.parse(last.startedAt);
  const triedAtMs = Math.max(startedAtMs, failedAtMs);
  if (triedAtMs === 0) return 'the job has never run';
  const dueMs = nextTime(scheduled.schedule, triedAtMs);
  if (dueMs + SCHEDULE_IS_LATE_AFTER_MS <= nowMs) return `no run since the job was due at ${isoTime(dueMs)}`;
  if (last === null || triedAtMs > startedAtMs) return null;
  if (last.endedAt === null) return 'the previous run was killed';
  if (isUnfinished(last, nowMs)) return `the previous run ended before its work was done (${last.ended})`;
  return event !== null && event.atMs > startedAtMs ? event.because : null;
}

/** Returns whether the run ended before its work was done, and the next run may start. */
function isUnfinished(last: LastRun, nowMs: number): boolean {
  const means = ENDINGS[last.ended ?? '']?.means;
  return (means === 'paused' || means === 'interrupted') && !isIdle(last, nowMs);
}

/**
 * Returns whether the run ended less than a minute ago without calls. Runs that cannot make calls would otherwise follow
 * each other endlessly.
 */
function isIdle({ calls, endedAt }: LastRun, nowMs: number): boolean {
  return calls === 0 && endedAt !== null && nowMs - Date.parse(endedAt) < IDLE_RETRY_MS;
}

const SCHEDULE_IS_LATE_AFTER_MS = 3000;
const IDLE_RETRY_MS = 60_000;
