import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Database } from 'better-sqlite3';
import type { Ledger, LedgerState } from '../allowance/ledger.ts';
import type { Allowance } from '../allowance/windows.ts';
import type { Config } from '../config/config.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { canSplit } from '../names/query_matching.ts';
import { allowanceOf, openLedgerOf } from '../operations/configured_ledger.ts';
import { lostCalls } from '../operations/ledger_loss.ts';
import { Backfills } from '../warehouse/backfill.ts';
import { type CallCount, callsOfRun, sentCalls } from '../warehouse/call_counts.ts';
import { ageClasses, type Coverage, readCoverage, readSearchEvidence } from '../warehouse/coverage_counts.ts';
import { disabledReceivers } from '../warehouse/deliveries.ts';
import { waitingCount } from '../warehouse/failure.ts';
import { readFileFacts, spaceUse } from '../warehouse/file_facts.ts';
import { countForgotten } from '../warehouse/forget.ts';
import { countMissing, countUnnamed, countUnnamedRecords } from '../warehouse/known.ts';
import { isAlive, isHeld, type LockHolder, lockHolder } from '../warehouse/lock.ts';
import { openQuarantineCount } from '../warehouse/quarantine.ts';
import {
  cappedListings,
  countAnswered,
  countContradicted,
  longestBrokenListing,
} from '../warehouse/query.ts';
import { findRun, lastSuccessAt, type RunRow, recentRuns, runsByDay } from '../warehouse/run.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import { readCompletion } from './completion_forecast.ts';
import { type CoverageEstimate, estimateCoverage } from './coverage_estimate.ts';
import { healthOf } from './health.ts';
import { areFewSuccessful, type CompletenessFacts, type FormatTime, type HealthFacts } from './problems.ts';
import { RATE_PERIOD_MS, readCallRate } from './quota_forecast.ts';
import { JOB_SCHEDULES, type JobSchedule, readSchedules } from './schedules.ts';

/**
 * The state of a mirror and its account at one time. `status`, the status page, the metrics, `doctor` and the worker
 * all read this object, and so report the same figures. `fact_table.ts` describes how each fact is shown.
 */
export type Facts = ReturnType<typeof readFacts>;

/** The facts in a warehouse. All of them are cheap enough to read every few seconds. */
export type MirrorFacts = ReturnType<typeof readMirror>;

/** A warehouse's lock. */
export interface LockState {
  /** The run that holds the lock; null if no run holds it. */
  readonly holder: LockHolder | null;
  /** Whether a run is in progress. */
  readonly isHeld: boolean;
}

export interface FactSources {
  readonly nowMs: number;
  /** The warehouse; null if there is no mirror yet. */
  readonly db: Database | null;
  readonly ledger: Pick<Ledger, 'state'>;
  /** The number of calls missing from the ledger (see `HealthFacts`). */
  readonly lostCalls: number;
  readonly config: Config;
  /** Default: the worker's own jobs. */
  readonly jobs?: readonly JobSchedule[];
  readonly formatTime: FormatTime;
}

/** Reads the facts, with one query for each. The warehouse is read in one transaction. */
export function readFacts(sources: FactSources) {
  const { nowMs, db, ledger, lostCalls, config, jobs = JOB_SCHEDULES, formatTime } = sources;
  const { dialect } = config;
  const allowance = { scheduled: ledger.state(nowMs), backfill: ledger.state(nowMs, 'backfill') };
  const account = { nowMs, allowance: allowanceOf(config), ledger: allowance.scheduled };
  const receivers = config.notify.map(({ name }) => name);
  const hasNameSearch = dialect?.search.query_param !== null;
  const read = () => ({
    mirror: db === null ? null : readMirror(db, config, jobs, account),
    disabledReceivers: db === null ? [] : disabledReceivers(db, receivers),
    capped: db === null ? { rows: 0, uncounted: 0, isUsual: false } : cappedListings(db),
    brokenListing: db === null ? null : longestBrokenListing(db, { hasNameSearch }),
    answered: readAnswered(db),
    latestRecords: db === null ? { companies: 0, unnamed: 0 } : countUnnamedRecords(db),
    missing: db === null ? 0 : countMissing(db),
    forgotten: db === null ? 0 : countForgotten(db),
  });
  const { mirror, forgotten, capped, ...others } = db === null ? read() : db.transaction(read)();
  const { isHeld = false, runs = [], quarantined = 0, schedules = [] } = mirror ?? {};
  const completeness =
    mirror === null || config.scope !== 'whole'
      ? null
      : completenessOf(mirror, forgotten, {
          rows: capped.rows,
          unsplit: dialect !== undefined && canSplit(dialect) && !capped.isUsual ? 0 : capped.uncounted,
        });
  const facts = {
    ...others,
    nowMs,
    runs,
    quarantined,
    schedules,
    lostCalls,
    hasDialect: dialect !== undefined,
    licenceEnds: config.account.license_ends,
    completeness,
  };
  const health = healthOf({ ...facts, isRunning: isHeld, allowance: allowance.scheduled }, formatTime);
  return {
    nowMs,
    config,
    /** Null if there is no mirror yet. */
    mirror,
    /** The remaining quota. Backfills have their own values, because they cannot use the reserve. */
    allowance,
    health,
  };
}

type FactOptions = Pick<FactSources, 'nowMs' | 'jobs' | 'formatTime'>;

/**
 * Opens the warehouse for reading, calls `use` with the facts and the warehouse, and closes it. The warehouse is null if
 * there is no mirror yet.
 */
export async function withFacts<Result>(
  config: Config,
  options: FactOptions,
  use: (facts: Facts, db: Database | null) => Result | Promise<Result>,
): Promise<Result> {
  const { nowMs } = options;
  using warehouse = existsSync(config.warehouse)
    ? openWarehouse({ path: config.warehouse, readonly: true, nowMs })
    : null;
  const db = warehouse?.db ?? null;
  return await use(factsOf(config, db, options), db);
}

/** Reads the facts from the configured ledger and an open warehouse. */
export function factsOf(config: Config, db: Database | null, options: FactOptions): Facts {
  using ledger = openLedgerOf(config);
  const lost = db === null ? 0 : lostCalls({ config, warehouse: { db }, ledger }, options.nowMs);
  return readFacts({ ...options, config, db, ledger, lostCalls: lost });
}

/** Counting contradicted searches takes time, so it is done only if few searches found a company. */
function readAnswered(db: Database | null): HealthFacts['answered'] {
  if (db === null) return { queries: 0, successful: 0, contradicted: 0 };
  const answered = countAnswered(db);
  return { ...answered, contradicted: areFewSuccessful(answered) ? countContradicted(db) : 0 };
}

/** The registry counts forgotten companies too. */
function completenessOf(
  { coverage, coverageEstimate, completion }: MirrorFacts,
  forgotten: number,
  capped: CompletenessFacts['capped'],
): CompletenessFacts | null {
  const { known, gone, registryTotal } = coverage;
  const { by, largestTotal } = coverageEstimate;
  if (known === 0) return null;
  const reported = Math.max(registryTotal ?? 0, largestTotal ?? 0);
  return {
    known: known - gone + forgotten,
    reported: reported === 0 ? null : reported,
    capped,
    isShown: by !== 'nothing',
    isNothingDue: completion.is === 'nothing_due' || completion.is === 'complete',
  };
}

/** Estimates the known share of the registry from the registry count and the searches. */
export function coverageEstimateOf(db: Database, { known, gone, registryTotal }: Coverage): CoverageEstimate {
  return estimateCoverage({ known: known - gone, registryTotal, ...readSearchEvidence(db) });
}

function readMirror(
  db: Database,
  config: Config,
  jobs: readonly JobSchedule[],
  account: { readonly nowMs: number; readonly allowance: Allowance; readonly ledger: LedgerState },
) {
  const coverage = readCoverage(db);
  const coverageEstimate = coverageEstimateOf(db, coverage);
  return {
    coverage,
    coverageEstimate,
    completion: readCompletion(db, { ...account, isWhole: coverageEstimate.low >= 1 }),
    /** When the last successful run ended, UTC; null if no run has succeeded yet. */
    lastSuccessAt: lastSuccessAt(db),
    /** The latest runs, most recent first. */
    runs: recentRuns(db, MAX_RUNS),
    /** The number of quarantine entries (responses and single items). */
    quarantined: openQuarantineCount(db),
    /** The number of failed targets that are waiting for a retry. */
    waiting: waitingCount(db, account.nowMs),
    files: readFileFacts(db),
    schedules: readSchedules(db, config, jobs, account),
    ...readLock(db, account.nowMs),
  };
}

/** Reads only the lock, so that `doctor` can show it even if other tables are unreadable. */
export function readLock(db: Database, nowMs: number): LockState {
  const holder = lockHolder(db);
  return { holder, isHeld: holder !== null && isHeld(holder, { nowMs, host: hostname(), isAlive }) };
}

/** One run. */
export interface RunDetails {
  readonly run: RunRow;
  readonly isRunning: boolean;
  /** The run's calls by outcome. */
  readonly counts: readonly CallCount[];
}

/** Returns null if there is no such run. */
export function readRun(db: Database, runId: number, nowMs: number): RunDetails | null {
  const run = findRun(db, runId);
  if (run === null) return null;
  const isLatest = recentRuns(db, 1)[0]?.runId === runId;
  const isRunning = run.ended === null && isLatest && readLock(db, nowMs).isHeld;
  return { run, isRunning, counts: callsOfRun(db, run) };
}

/** The age classes' upper limits, in days. */
export const AGE_DAYS = [1, 7, 30, 90] as const;

/** How the mirror has developed. Reading it takes longer in a large mirror, because it counts calls and companies. */
export type Trends = ReturnType<typeof readTrends>;

export function readTrends(
  db: Database,
  nowMs: number,
  { withAges = true }: { readonly withAges?: boolean } = {},
) {
  const atMs = Math.round(nowMs);
  const week = runsByDay(db, nowMs - RATE_PERIOD_MS);
  const backfills = new Backfills(db);
  return {
    callsLastHour: sentCalls(db, atMs - HOUR_MS, atMs + 1),
    rate: readCallRate(db, atMs),
    /** The results of the runs in the last seven days. */
    week: {
      new: sumOf(week.map((day) => day.new)),
      changed: sumOf(week.map((day) => day.changed)),
      gone: sumOf(week.map((day) => day.gone)),
    },
    /**
     * The number of records and list items in each class of `AGE_DAYS`, and one more class for everything older; null if
     * they were not counted, because that takes a scan of all companies.
     */
    ages: withAges
      ? ageClasses(
          db,
          AGE_DAYS.map((days) => nowMs - days * DAY_MS),
        )
      : null,
    /** The number of known companies without a name; null if they were not counted. */
    unnamed: withAges ? countUnnamed(db).unnamed : null,
    /** What takes the space in the file; null if it was not measured, because that reads the whole file. */
    space: withAges && readFileFacts(db).bytes <= MAX_MEASURED_BYTES ? spaceUse(db) : null,
    /** The unfinished backfills. */
    backfills: backfills
      .unfinished()
      .map((backfill) => ({ backfill, counts: backfills.counts(backfill.backfillId) })),
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

const MAX_RUNS = 12;
/** Measuring a file of this size takes about half a second. */
const MAX_MEASURED_BYTES = 200_000_000;
