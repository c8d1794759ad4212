import { SCHEDULED_JOBS } from '../../jobs/all_jobs.ts';
import type { LastRun, QueueFacts } from '../../jobs/due_jobs.ts';
import type { RegistrySnapshot } from '../../jobs/registry_snapshot.ts';
import { UNLIMITED } from './ledger.ts';

/** A snapshot of a registry in which every job has just ended. The argument replaces some of its properties. */
export function snapshotOf(given: Partial<QueueFacts> = {}, nowMs = Date.now()): RegistrySnapshot {
  const done: LastRun = { runId: 1, startedAtMs: nowMs, endedAtMs: nowMs, ended: 'done', calls: 0 };
  return {
    facts: {
      nowMs,
      lastRuns: Object.fromEntries(SCHEDULED_JOBS.map(({ name }) => [name, done])),
      earlierDue: {},
      closedUntilMs: null,
      isHeld: false,
      ...given,
    },
    mirror: {
      nowMs,
      coverage: {
        known: 0,
        fetched: 0,
        gone: 0,
        registryTotal: null,
        registryTotalAt: null,
        knownShare: null,
        fetchedShare: null,
      },
      lastSuccessAt: null,
      runs: [],
      quarantined: 0,
      files: { bytes: 0, walBytes: 0 },
      holder: null,
      isHeld: false,
    },
    allowance: UNLIMITED,
    health: { state: 'healthy', problems: [], waitsUntilMs: null },
    completion: { is: 'unknown' },
    lastSuccesses: {},
    backfills: [],
    lastCallId: 0,
    newCalls: [],
  };
}
