import type { LastRun, QueueFacts } from '../../jobs/due_jobs.ts';
import type { RegistrySnapshot } from '../../jobs/registry_snapshot.ts';
import { SCHEDULED_JOBS } from '../../jobs/scheduled_jobs.ts';
import { isoTime } from '../../src/clock.ts';
import { factsAt } from './facts.ts';

/** A snapshot of a registry in which every job has just ended. The argument replaces some of its properties. */
export function snapshotOf(given: Partial<QueueFacts> = {}, nowMs = Date.now()): RegistrySnapshot {
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
      lastRuns: Object.fromEntries(SCHEDULED_JOBS.map(({ name }) => [name, done])),
      earlierDue: {},
      closedUntilMs: null,
      isHeld: false,
      ...given,
    },
    backfills: [],
    lastCallId: 0,
    newCalls: [],
  };
}
