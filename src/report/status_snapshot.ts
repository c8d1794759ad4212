import { existsSync } from 'node:fs';
import type { Ledger, LedgerState } from '../allowance/ledger.ts';
import { isoTime } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { openLedgerOf } from '../operations/assemble.ts';
import { openQuarantineCount } from '../warehouse/activity.ts';
import { type BackfillItemState, type BackfillRow, backfillTable } from '../warehouse/backfill.ts';
import { type Coverage, readCoverage, readSearchEvidence } from '../warehouse/coverage_counts.ts';
import { type Health, readHealth, waitingCount } from '../warehouse/health.ts';
import { type LockHolder, lockHolder } from '../warehouse/lock.ts';
import { ageClasses, callBuckets } from '../warehouse/page_queries.ts';
import { type RunRow, recentRuns } from '../warehouse/run.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import { type CoverageEstimate, estimateCoverage } from './coverage_estimate.ts';

/** All that `status` tells, read at one moment. */
export interface StatusSnapshot {
  readonly nowMs: number;
  readonly config: Config;
  /** null: nothing was mirrored yet. */
  readonly mirror: MirrorFacts | null;
  readonly allowance: AllowanceFacts;
  /** null: no Redis answers, or no worker ever served this registry there. */
  readonly worker: WorkerStatus | null;
}

export interface MirrorFacts {
  readonly coverage: Coverage;
  readonly estimate: CoverageEstimate;
  /** Companies by the age of their record and of their list item: within AGES, and older. */
  readonly ages: readonly { readonly records: number; readonly summaries: number }[];
  readonly runs: readonly RunRow[];
  readonly holder: LockHolder | null;
  readonly quarantined: number;
  /** Targets that failed and wait for another try. */
  readonly waiting: number;
  readonly backfills: readonly {
    readonly backfill: BackfillRow;
    readonly counts: Readonly<Record<BackfillItemState, number>>;
  }[];
  readonly health: Health;
  readonly callsLastHour: number;
  /** Calls of the last seven days, and over which part of them calls were made. */
  readonly lately: { readonly calls: number; readonly overMs: number };
}

/** The worker of a registry, its schedules and its queue. */
export interface WorkerStatus {
  readonly queue: string;
  /** The worker that leads the queue; null: none runs. */
  readonly leader: WorkerLeader | null;
  readonly schedules: readonly ScheduleStatus[];
  /** Jobs by state. */
  readonly jobs: Readonly<Record<string, number>>;
}

export interface WorkerLeader {
  readonly worker: string;
  readonly host: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly since: string;
  /** Identifies the ledger file: two workers of one account must spend from the same one. */
  readonly ledger: string;
}

export interface ScheduleStatus {
  readonly name: string;
  readonly pattern: string;
  readonly timezone: string;
  /** The start of its last run in this warehouse, UTC; null: none. */
  readonly last_at: string | null;
  /** How that run ended; null: it is running, or was killed. */
  readonly last_ended: string | null;
  /** The next start: from Redis, or else from the pattern. */
  readonly next_at: string;
  /** When the worker last checked it in Redis; null: Redis does not hold it. */
  readonly heartbeat_at: string | null;
}

/** Reads the worker's status; null: no Redis responds, or no worker ever served this registry there. */
export type ReadWorker = (
  config: Config,
  warehouse: Warehouse,
  nowMs: number,
) => Promise<WorkerStatus | null>;

export interface StatusRequest {
  readonly nowMs: number;
  /** How many of the last runs to read. */
  readonly runs: number;
  readonly readWorker: ReadWorker;
}

export interface AllowanceFacts {
  readonly scheduled: LedgerState;
  readonly backfill: LedgerState;
}

/** The classes of age, in days. */
export const AGES = [1, 7, 30, 90] as const;

export async function readStatus(
  config: Config,
  { nowMs, runs, readWorker }: StatusRequest,
): Promise<StatusSnapshot> {
  const ledger = openLedgerOf(config);
  const warehouse = existsSync(config.warehouse)
    ? openWarehouse({ path: config.warehouse, readonly: true, nowMs })
    : null;
  try {
    return {
      nowMs,
      config,
      mirror: warehouse === null ? null : readMirror(warehouse, nowMs, runs),
      allowance: readAllowance(ledger, nowMs),
      worker: warehouse === null ? null : await readWorker(config, warehouse, nowMs),
    };
  } finally {
    warehouse?.close();
    ledger.close();
  }
}

function readMirror({ db }: Warehouse, nowMs: number, runs: number): MirrorFacts {
  const backfills = backfillTable(db);
  const coverage = readCoverage(db);
  const { known, gone, registryTotal } = coverage;
  return {
    coverage,
    estimate: estimateCoverage({ known: known - gone, registryTotal, ...readSearchEvidence(db) }),
    ages: ageClasses(
      db,
      AGES.map((days) => isoTime(nowMs - days * DAY_MS)),
    ),
    runs: recentRuns(db, runs),
    holder: lockHolder(db),
    quarantined: openQuarantineCount(db),
    waiting: waitingCount(db, nowMs),
    backfills: backfills
      .unfinished()
      .map((backfill) => ({ backfill, counts: backfills.counts(backfill.backfillId) })),
    health: readHealth(db),
    callsLastHour: callsSince(db, nowMs - HOUR_MS, nowMs, HOUR_MS).calls,
    lately: callsSince(db, nowMs - 7 * DAY_MS, nowMs, HOUR_MS),
  };
}

/** Calls that cost a unit, and the time from the first of them. */
function callsSince(db: Warehouse['db'], fromMs: number, nowMs: number, bucketMs: number) {
  const buckets = callBuckets(db)({ fromMs: Math.round(fromMs), toMs: Math.round(nowMs) + 1, bucketMs });
  const spent = buckets.filter(({ outcome }) => outcome !== 'unsent');
  const first = spent[0];
  return {
    calls: spent.reduce((sum, { calls }) => sum + calls, 0),
    overMs: first === undefined ? 0 : nowMs - Math.max(fromMs, first.atMs),
  };
}

function readAllowance(ledger: Ledger, nowMs: number): AllowanceFacts {
  return { scheduled: ledger.state(nowMs), backfill: ledger.state(nowMs, 'backfill') };
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
