import type { ScheduledJob } from '../../jobs/job.ts';
import type { Measured } from '../../jobs/metrics.ts';
import type { RegistryState, RegistryWorker } from '../../jobs/registry_worker.ts';
import { SCHEDULED_JOBS } from '../../jobs/scheduled_jobs.ts';
import { isoTime } from '../../src/clock.ts';
import { configFrom } from '../../src/config/load_config.ts';
import type { ScheduleFacts } from '../../src/report/schedules.ts';
import { factsAt } from './facts.ts';

const NOW_MS = Date.UTC(2027, 2, 10, 12);

export const pollStats = SCHEDULED_JOBS.find(({ kind }) => kind === 'stats') as ScheduledJob;

/** A worker whose times and counts all differ, so that a value in the wrong place is noticed. */
export function measuredWorker(changes: Partial<RegistryState> = {}): Measured {
  const schedule: ScheduleFacts = {
    name: pollStats.name,
    title: pollStats.title,
    dueMs: null,
    schedule: { pattern: '0 13 * * *', timezone: 'UTC' },
    periodMs: 86_400_000,
    lastRun: {
      runId: 3,
      command: pollStats.name,
      ended: 'failed',
      error: null,
      startedAt: isoTime(101_000),
      endedAt: isoTime(102_000),
      calls: 1,
      new: 0,
      changed: 0,
      gone: 0,
      quarantined: 0,
    },
    lastSuccessAt: isoTime(99_000),
    nextMs: NOW_MS + 3_600_000,
    isServed: true,
    overdueSinceMs: null,
  };
  const facts = factsAt(NOW_MS);
  const snapshot = {
    facts: { ...facts, mirror: facts.mirror && { ...facts.mirror, schedules: [schedule] } },
    queue: { nowMs: NOW_MS, isHeld: false, closedUntilMs: NOW_MS + 5_000 },
    jobs: [],
    lastCallId: 7,
    newCalls: [],
  };
  const state: Partial<RegistryState> = {
    role: 'leading',
    snapshot,
    isPaused: true,
    running: pollStats.name,
    redisError: null,
    reconciledAtMs: 103_000,
    triedAtMs: NOW_MS,
    problems: [{ name: 'drift', cause: '', remedy: '' }],
    ...changes,
  };
  const config = configFrom({
    version: 1,
    upstream: { base_url: 'https://registry.example/api', api_key: null },
    allowance: { unlimited: true },
    schedule: { stats: '0 13 * * *', timezone: 'UTC' },
  });
  const queue = { getJobCounts: async () => ({ active: 1, delayed: 2, failed: 4 }) };
  const one = { name: 'isle', jobs: [pollStats], state, config, queue } as unknown as RegistryWorker;
  return { registries: [one], isRedisReady: true, nowMs: NOW_MS };
}
