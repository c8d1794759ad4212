import { isoTime } from '../src/clock.ts';
import type { RegistryNews, ScheduledJob, ScheduledName } from './job.ts';
import { nextMoment, type Rhythm } from './schedule.ts';

/**
 * What should be in the queue, derived from the warehouse alone. Redis is never the source of truth: whatever
 * it loses, the same work is asked for again.
 */
export interface QueueFacts {
  readonly nowMs: number;
  readonly lastRuns: Readonly<Record<ScheduledName, LastRun | null>>;
  readonly news: RegistryNews;
  /** Nothing can be spent until then; Infinity: for good; null: there is something to spend. */
  readonly closedUntilMs: number | null;
  /** Another process is at work in the warehouse. */
  readonly isHeld: boolean;
}

export interface LastRun {
  readonly runId: number;
  readonly startedAtMs: number;
  /** null: it is running, or was killed. */
  readonly endedAtMs: number | null;
  readonly ended: string | null;
  readonly calls: number;
}

export interface Demand {
  readonly name: ScheduledName;
  /** For the dashboard. */
  readonly because: string;
}

export interface Due {
  readonly job: ScheduledJob;
  readonly rhythm: Rhythm;
  /** A job of this name waits or works, so that nothing more has to be asked for. */
  readonly isPending: boolean;
  /** When a job of this name last failed before it came to a run; null: none did. */
  readonly failedAtMs: number | null;
}

/** The jobs that should be queued now, beside those that the schedules bring by themselves. */
export function demandOf(facts: QueueFacts, dues: readonly Due[]): Demand[] {
  if (facts.isHeld || (facts.closedUntilMs ?? 0) > facts.nowMs) return [];
  return dues.flatMap((due) => {
    const because = due.isPending ? null : reasonFor(due, facts);
    return because === null ? [] : [{ name: due.job.name, because }];
  });
}

/**
 * Has this moment of a schedule been covered? A moment is covered by the first run of its job that starts at or
 * after it, if that run came to an end.
 */
export function isCovered(momentMs: number, lastRun: LastRun | null): boolean {
  return lastRun !== null && lastRun.endedAtMs !== null && lastRun.startedAtMs >= momentMs;
}

function reasonFor({ job, rhythm, failedAtMs }: Due, facts: QueueFacts): string | null {
  const { nowMs, news } = facts;
  const last = facts.lastRuns[job.name];
  const triedAtMs = Math.max(
    last?.startedAtMs ?? Number.NEGATIVE_INFINITY,
    failedAtMs ?? Number.NEGATIVE_INFINITY,
  );
  if (triedAtMs === Number.NEGATIVE_INFINITY) return 'it never ran';
  const momentMs = nextMoment(rhythm, triedAtMs);
  if (momentMs + SCHEDULE_IS_LATE_AFTER_MS <= nowMs)
    return `nothing has run since it was due at ${isoTime(momentMs)}`;
  if (last === null || triedAtMs > last.startedAtMs) return null;
  if (last.endedAtMs === null) return 'the run before was cut off';
  if (isUnfinished(last, nowMs)) return `the run before ended with ${last.ended}`;
  const early = job.broughtForward(news);
  return early !== null && early.atMs > last.startedAtMs ? early.because : null;
}

/** It had more to do. One that could spend nothing waits a while, so that two limits cannot make a wheel of it. */
function isUnfinished({ ended, endedAtMs, calls }: LastRun, nowMs: number): boolean {
  if (ended === null || !UNFINISHED.has(ended)) return false;
  return calls > 0 || nowMs - (endedAtMs ?? nowMs) >= IDLE_RETRY_MS;
}

const UNFINISHED: ReadonlySet<string> = new Set(['max_minutes', 'max_calls', 'allowance', 'interrupted']);
const SCHEDULE_IS_LATE_AFTER_MS = 3000;
const IDLE_RETRY_MS = 60_000;
