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
import { openLedgerOf, plannerOver, readScope, watchKnowledge, watchPlannerOver } from './assemble.ts';
import { ALL_KINDS } from './run.ts';

export interface EstimateInput {
  readonly nowMs: number;
  readonly focus: Focus;
  /** How many of the next calls are asked for. */
  readonly explain: number;
  /** How long the searches may be simulated; an estimate that was cut short is wider, or has no upper end. */
  readonly simulateMs?: number;
  /** Told now and then how much of the work is done, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

export interface NextSyncEstimate {
  /** What sync is for. */
  readonly scope: Scope;
  readonly estimate: SyncEstimate;
  /** Companies that are known now. */
  readonly known: number;
  /** The next calls, best first; none of them is sent. */
  readonly next: readonly Call[];
  readonly state: LedgerState;
}

/** What the next runs of `sync` will cost, and their first calls. Nothing is written, nothing is sent. */
export function estimateNextSync(config: Config, ask: EstimateInput): NextSyncEstimate {
  const { nowMs, focus, explain } = ask;
  const budget = openBudget(ask);
  const scope = readScope(config.scope);
  const ledger = openLedgerOf(config);
  const warehouse = existsSync(config.warehouse)
    ? openWarehouse({ path: config.warehouse, readonly: true, nowMs })
    : null;
  const empty = openWarehouse({ path: ':memory:', nowMs });
  const place: Place = { config, warehouse: warehouse ?? empty, empty, nowMs, focus };
  try {
    const state = ledger.state(nowMs);
    const left = leftOf(state);
    const calls = explain === 0 ? [] : nextCallsOf(place, scope, left, explain);
    const isStatsDue = isStatsCallDue(place, left);
    const isSearchNext = explain === 0 ? null : calls.some(({ kind }) => kind === 'search');
    return {
      ...{ state, scope, next: calls },
      known: openKnowledge(place.warehouse).knownCount(),
      estimate:
        scope.of === 'whole'
          ? estimateWhole(place, { isStatsDue, isSearchNext, budget })
          : estimateWatched(place, scope, isStatsDue),
    };
  } finally {
    warehouse?.close();
    empty.close();
    ledger.close();
  }
}

interface Place {
  readonly config: Config;
  readonly warehouse: Warehouse;
  /** A mirror before its first call. */
  readonly empty: Warehouse;
  readonly nowMs: number;
  readonly focus: Focus;
}

/** The planner itself, on what is known now; what it plans goes nowhere. */
function watchPlannerOf({ config, warehouse, nowMs }: Place, watchlist: Watchlist): Planner {
  const knowledge = watchKnowledge({ config, warehouse }, nowMs);
  return watchPlannerOver(knowledge, config, { watchlist, kinds: ALL_KINDS, startedAtMs: nowMs });
}

function nextCallsOf(place: Place, scope: Scope, left: QuotaLeft, count: number): readonly Call[] {
  const { config, warehouse, nowMs, focus } = place;
  if (scope.of !== 'whole') return watchPlannerOf(place, scope).next({ nowMs, left, most: count }).calls;
  return nextCalls({
    ...{ knowledge: openKnowledge(warehouse), dialect: requireDialect(config), left, nowMs, count },
    openPlanner: (of) => plannerOver(of, config, { focus, kinds: ALL_KINDS, startedAtMs: nowMs }),
  });
}

/** Does the planner begin with the statistics? */
function isStatsCallDue({ config, warehouse, nowMs }: Place, left: QuotaLeft): boolean {
  const knowledge = openKnowledge(warehouse);
  const age = { startedAtMs: nowMs, maxAgeMs: config.max_age.stats.ms };
  const isFree = new Pending(knowledge.failures()).isFree('stats', '', nowMs);
  return isFree && statisticsDue({ knowledge, nowMs, left, age }) !== null;
}

function estimateWhole(
  { config, warehouse, empty, nowMs, focus }: Place,
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
  { config, warehouse, nowMs }: Place,
  watchlist: Watchlist,
  isStatsDue: boolean,
): SyncEstimate {
  const knowledge = watchKnowledge({ config, warehouse }, nowMs);
  return estimateWatchlist({ knowledge, dialect: requireDialect(config), watchlist, isStatsDue });
}

/** As if the allowance had not ended: the plan is for the day on which it opens again. */
function leftOf(state: ReturnType<Ledger['state']>): QuotaLeft {
  const lifetimeLimit = state.windows.find(({ name }) => name === 'total')?.limit ?? null;
  return { calls: Infinity, lifetimeLimit };
}

/** The time runs from now on. */
function openBudget({ simulateMs = SIMULATE_MS, onProgress }: EstimateInput): Budget {
  const startedMs = performance.now();
  const usedShare = () => (performance.now() - startedMs) / simulateMs;
  return {
    ...{ searches: MOST_SEARCHES, usedShare },
    ...(onProgress && { onProgress: (share) => onProgress(Math.min(1, Math.max(share, usedShare()))) }),
  };
}

// With the start of the process, `plan` answers in less than 3 seconds.
const SIMULATE_MS = 1_700;
const MOST_SEARCHES = 12_000;
