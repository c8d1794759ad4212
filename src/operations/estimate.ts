import { existsSync } from 'node:fs';
import type { Ledger, LedgerState } from '../allowance/ledger.ts';
import type { Call } from '../call.ts';
import { isoTime } from '../clock.ts';
import { type Config, requireDialect } from '../config/config.ts';
import { nextCalls } from '../estimate/next_calls.ts';
import type { Budget } from '../estimate/search_simulation.ts';
import { estimateSync, type SyncEstimate, type SyncEstimateInput } from '../estimate/sync_estimate.ts';
import { estimateWatchlist } from '../estimate/watchlist_estimate.ts';
import { Pending } from '../plan/pending.ts';
import { statisticsDue } from '../plan/statistics_due.ts';
import type { Watchlist } from '../plan/wanted/watchlist_planner.ts';
import type { Focus, Planner, QuotaLeft, Scope } from '../planner.ts';
import { openKnowledge } from '../warehouse/plan_knowledge.ts';
import { dueRecordCount } from '../warehouse/records_due.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import { plannerOver, readScope, watchKnowledge, watchPlannerOver } from './assemble.ts';
import { openLedgerOf } from './configured_ledger.ts';
import { ALL_KINDS } from './run.ts';

export interface EstimateInput {
  readonly nowMs: number;
  readonly focus: Focus;
  /** How many of the next calls to return in `next`. */
  readonly explain: number;
  /**
   * The simulation's limit on CPU time, in milliseconds. An estimate that reaches it has a wider range or no upper
   * bound.
   */
  readonly simulateMs?: number;
  /** Called with the finished share of the work, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

export interface NextSyncEstimate {
  /** The configured scope. */
  readonly scope: Scope;
  readonly estimate: SyncEstimate;
  /** The number of known companies. */
  readonly known: number;
  /** The next calls, best first. The estimate does not send them. */
  readonly next: readonly Call[];
  readonly state: LedgerState;
}

/**
 * Estimates the calls that the next runs of `sync` will need, and plans the first calls. Nothing is written or sent.
 */
export function estimateNextSync(config: Config, input: EstimateInput): NextSyncEstimate {
  const { nowMs, focus, explain } = input;
  const budget = openBudget(input);
  const scope = readScope(config.scope);
  const ledger = openLedgerOf(config);
  const warehouse = existsSync(config.warehouse)
    ? openWarehouse({ path: config.warehouse, readonly: true, nowMs })
    : null;
  const empty = openWarehouse({ path: ':memory:', nowMs });
  const context: EstimateContext = { config, warehouse: warehouse ?? empty, empty, nowMs, focus };
  try {
    const state = ledger.state(nowMs);
    const left = leftOf(state);
    const calls = explain === 0 ? [] : nextCallsOf(context, scope, left, explain);
    const isStatsDue = isStatsCallDue(context, left);
    const isSearchNext = explain === 0 ? null : calls.some(({ kind }) => kind === 'search');
    return {
      ...{ state, scope, next: calls },
      known: openKnowledge(context.warehouse).knownCount(),
      estimate:
        scope.of === 'whole'
          ? estimateWhole(context, { isStatsDue, isSearchNext, budget })
          : estimateWatched(context, scope, isStatsDue),
    };
  } finally {
    warehouse?.close();
    empty.close();
    ledger.close();
  }
}

interface EstimateContext {
  readonly config: Config;
  readonly warehouse: Warehouse;
  /** An empty warehouse, which represents the mirror before its first call. */
  readonly empty: Warehouse;
  readonly nowMs: number;
  readonly focus: Focus;
}

/** Opens a watchlist's planner. Its calls are not sent. */
function watchPlannerOf({ config, warehouse, nowMs }: EstimateContext, watchlist: Watchlist): Planner {
  const knowledge = watchKnowledge({ config, warehouse }, nowMs);
  return watchPlannerOver(knowledge, config, { watchlist, kinds: ALL_KINDS, startedAtMs: nowMs });
}

function nextCallsOf(
  context: EstimateContext,
  scope: Scope,
  left: QuotaLeft,
  count: number,
): readonly Call[] {
  const { config, warehouse, nowMs, focus } = context;
  if (scope.of !== 'whole') return watchPlannerOf(context, scope).next({ nowMs, left, most: count }).calls;
  return nextCalls({
    ...{ knowledge: openKnowledge(warehouse), dialect: requireDialect(config), left, nowMs, count },
    openPlanner: (of) => plannerOver(of, config, { focus, kinds: ALL_KINDS, startedAtMs: nowMs }),
  });
}

/** Returns whether a statistics call is due and may be sent now. */
function isStatsCallDue({ config, warehouse, nowMs }: EstimateContext, left: QuotaLeft): boolean {
  const knowledge = openKnowledge(warehouse);
  const age = { startedAtMs: nowMs, maxAgeMs: config.max_age.stats.ms };
  const isFree = new Pending(knowledge.failures()).isFree('stats', '', nowMs);
  return isFree && statisticsDue({ knowledge, nowMs, left, age }) !== null;
}

function estimateWhole(
  { config, warehouse, empty, nowMs, focus }: EstimateContext,
  rest: Pick<SyncEstimateInput, 'isStatsDue' | 'isSearchNext' | 'budget'>,
): SyncEstimate {
  const before = isoTime(Math.max(0, nowMs - config.max_age.records.ms));
  return estimateSync({
    ...{ knowledge: openKnowledge(warehouse), nothing: openKnowledge(empty), nowMs, ...rest },
    dialect: requireDialect(config),
    openPlanner: (of) => plannerOver(of, config, { focus, kinds: new Set(['search']), startedAtMs: nowMs }),
    recordsDue: dueRecordCount(warehouse.db, before),
  });
}

function estimateWatched(
  { config, warehouse, nowMs }: EstimateContext,
  watchlist: Watchlist,
  isStatsDue: boolean,
): SyncEstimate {
  const knowledge = watchKnowledge({ config, warehouse }, nowMs);
  return estimateWatchlist({ knowledge, dialect: requireDialect(config), watchlist, isStatsDue });
}

/** Returns a quota with unlimited calls, because the plan also covers the time after the allowance resets. */
function leftOf(state: ReturnType<Ledger['state']>): QuotaLeft {
  const lifetimeLimit = state.windows.find(({ name }) => name === 'total')?.limit ?? null;
  return { calls: Infinity, lifetimeLimit };
}

/**
 * Limits the simulation's CPU time from now on. If elapsed time were limited, other processes would affect the
 * estimate.
 */
function openBudget({ simulateMs = SIMULATE_MS, onProgress }: EstimateInput): Budget {
  const started = process.cpuUsage();
  const usedShare = () => {
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000 / simulateMs;
  };
  return {
    ...{ searches: MOST_SEARCHES, usedShare },
    ...(onProgress && { onProgress: (share) => onProgress(Math.min(1, Math.max(share, usedShare()))) }),
  };
}

// This limit keeps `plan` below 3 seconds, including process start-up.
const SIMULATE_MS = 1_900;
const MOST_SEARCHES = 12_000;
