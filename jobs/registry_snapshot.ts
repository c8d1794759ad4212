import { hostname } from 'node:os';
import { closedUntilMs } from '../src/allowance/remaining_quota.ts';
import { isoTime } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { type Facts, factsOf, type LockState } from '../src/report/facts.ts';
import { lastProcessedCallId } from '../src/warehouse/call.ts';
import { callsBetween } from '../src/warehouse/call_counts.ts';
import { lastRunOf } from '../src/warehouse/run.ts';
import { openWarehouse } from '../src/warehouse/warehouse.ts';
import type { JobState, QueueFacts } from './due_jobs.ts';
import { isScheduled, type JobDefinition } from './job.ts';

/** The warehouse and the ledger at one time, as far as the worker needs to know them. */
export type RegistrySnapshot = ReturnType<typeof readSnapshot>;

interface SnapshotRequest {
  readonly jobs: readonly JobDefinition[];
  readonly nowMs: number;
  /** The id of the last call that the metrics have counted; null to count none. */
  readonly afterCallId: number | null;
}

/**
 * Reads one snapshot. Both files are opened and closed each time, so that the worker notices if a backup has replaced
 * the warehouse. This also means that an idle worker uses no memory for SQLite's page cache.
 */
export function readSnapshot(config: Config, { nowMs, afterCallId, ...request }: SnapshotRequest) {
  using warehouse = openWarehouse({ path: config.warehouse, readonly: true, nowMs });
  const { db } = warehouse;
  const lastCallId = lastProcessedCallId(db);
  const facts = factsOf(config, db, { nowMs, jobs: request.jobs.filter(isScheduled), formatTime: isoTime });
  const schedules = new Map((facts.mirror?.schedules ?? []).map((one) => [one.name, one]));
  const jobs = request.jobs.flatMap((job): JobState[] => {
    const scheduled = schedules.get(job.name) ?? null;
    if (scheduled === null && (isScheduled(job) || !isBackfillOpen(facts))) return [];
    return [{ job, scheduled, lastRun: lastRunOf(db, job.name), event: job.dueSince?.(db) ?? null }];
  });
  const isNew = afterCallId !== null && afterCallId < lastCallId;
  const queue: QueueFacts = {
    nowMs,
    closedUntilMs: closedUntilMs(facts.allowance.scheduled, nowMs),
    isHeld: facts.mirror !== null && isHeldByAnother(facts.mirror),
  };
  return {
    facts,
    queue,
    /** The scheduled jobs that the configuration needs, and those without a schedule that have quota. */
    jobs,
    /** The id of the last processed call. */
    lastCallId,
    /** The calls processed after `afterCallId`. */
    newCalls: isNew ? callsBetween(db, afterCallId, lastCallId) : [],
  };
}

/** A job without a schedule is a backfill. It must leave the reserve, and waits while the upstream refuses the key. */
function isBackfillOpen({ nowMs, allowance: { backfill } }: Facts): boolean {
  return backfill.refusedKey === null && closedUntilMs(backfill, nowMs) === null;
}

function isHeldByAnother({ holder, isHeld }: LockState): boolean {
  return isHeld && (holder?.host !== hostname() || holder.pid !== process.pid);
}
