import type { LastRun, QueueFacts } from '../../jobs/due_jobs.ts';
import type { RegistrySnapshot } from '../../jobs/registry_snapshot.ts';
import { UNLIMITED } from './ledger.ts';

/** What the keeper would read of a registry on which everything has just been done, but for what is given. */
export function readingOf(given: Partial<QueueFacts> = {}, nowMs = Date.now()): RegistrySnapshot {
  const done: LastRun = { runId: 1, startedAtMs: nowMs, endedAtMs: nowMs, ended: 'done', calls: 0 };
  return {
    facts: {
      nowMs,
      lastRuns: { 'poll-stats': done, 'sweep-search': done, 'fetch-entities': done },
      news: { statisticsChangedAtMs: null, companiesFoundAtMs: null },
      closedUntilMs: null,
      isHeld: false,
      ...given,
    },
    coverage: {
      known: 0,
      fetched: 0,
      gone: 0,
      registryTotal: null,
      registryTotalAt: null,
      knownShare: null,
      fetchedShare: null,
    },
    allowance: UNLIMITED,
    lastSuccessAtMs: null,
    quarantined: 0,
    sizes: { bytes: 0, walBytes: 0 },
    lastCallId: 0,
    newCalls: [],
  };
}
