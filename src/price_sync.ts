import { existsSync } from 'node:fs';
import type { Ledger, LedgerState } from './allowance/ledger.ts';
import { openLedgerOf, plannerOver, readScope, watchKnowledge, watchPlannerOver } from './assemble.ts';
import type { Call } from './call.ts';
import { isoTime } from './clock.ts';
import { type Config, requireDialect } from './config.ts';
import { Pending } from './plan/pending.ts';
import type { Focus, Left, Planner, Scope } from './plan/plan.ts';
import { nextCalls } from './plan/rehearsal/next_calls.ts';
import type { Budget } from './plan/rehearsal/search_rehearsal.ts';
import { statisticsDue } from './plan/statistics.ts';
import { priceSync, type SyncPrice, type SyncPriceAsk } from './plan/sync_price.ts';
import { priceWatchlist } from './plan/watch_price.ts';
import type { Watchlist } from './plan/watchlist.ts';
import { ALL_KINDS } from './run.ts';
import { dueRecordCount } from './warehouse/due_count.ts';
import { openKnowledge } from './warehouse/knowledge.ts';
import { openWarehouse, type Warehouse } from './warehouse/warehouse.ts';

export interface PriceAsk {
  readonly nowMs: number;
  readonly focus: Focus;
  /** How many of the next calls are asked for. */
  readonly explain: number;
  /** How long the searches may be simulated; an estimate that was cut short is wider, or has no upper end. */
  readonly simulateMs?: number;
  /** Told now and then how much of the work is done, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

export interface SyncPricing {
  /** What sync is for. */
  readonly scope: Scope;
  readonly price: SyncPrice;
  /** Companies that are known now. */
  readonly known: number;
  /** The next calls, best first; none of them is sent. */
  readonly next: readonly Call[];
  readonly state: LedgerState;
}

/** What the next runs of `sync` will cost, and their first calls. Nothing is written, nothing is sent. */
export function priceNextSync(config: Config, ask: PriceAsk): SyncPricing {
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
      price:
        scope.of === 'whole'
          ? priceWhole(place, { isStatsDue, isSearchNext, budget })
          : priceWatched(place, scope, isStatsDue),
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

function nextCallsOf(place: Place, scope: Scope, left: Left, count: number): readonly Call[] {
  const { config, warehouse, nowMs, focus } = place;
  if (scope.of !== 'whole') return watchPlannerOf(place, scope).next({ nowMs, left, most: count }).calls;
  return nextCalls({
    ...{ knowledge: openKnowledge(warehouse), dialect: requireDialect(config), left, nowMs, count },
    openPlanner: (of) => plannerOver(of, config, { focus, kinds: ALL_KINDS, startedAtMs: nowMs }),
  });
}

/** Does the planner begin with the statistics? */
function isStatsCallDue({ config, warehouse, nowMs }: Place, left: Left): boolean {
  const knowledge = openKnowledge(warehouse);
  const age = { startedAtMs: nowMs, maxAgeMs: config.max_age.stats.ms };
  const isFree = new Pending(knowledge.failures()).isFree('stats', '', nowMs);
  return isFree && statisticsDue({ knowledge, nowMs, left, age }) !== null;
}

function priceWhole(
  { config, warehouse, empty, nowMs, focus }: Place,
  rest: Pick<SyncPriceAsk, 'isStatsDue' | 'isSearchNext' | 'budget'>,
): SyncPrice {
  const before = isoTime(Math.max(0, nowMs - config.max_age.records.ms));
  return priceSync({
    ...{ knowledge: openKnowledge(warehouse), nothing: openKnowledge(empty), nowMs, ...rest },
    dialect: requireDialect(config),
    openPlanner: (of) => plannerOver(of, config, { focus, kinds: new Set(['search']), startedAtMs: nowMs }),
    recordsDue: dueRecordCount(warehouse.db, before),
  });
}

function priceWatched(
  { config, warehouse, nowMs }: Place,
  watchlist: Watchlist,
  isStatsDue: boolean,
): SyncPrice {
  const knowledge = watchKnowledge({ config, warehouse }, nowMs);
  return priceWatchlist({ knowledge, dialect: requireDialect(config), watchlist, isStatsDue });
}

/** As if the allowance had not ended: the plan is for the day on which it opens again. */
function leftOf(state: ReturnType<Ledger['state']>): Left {
  const lifetimeLimit = state.windows.find(({ name }) => name === 'total')?.limit ?? null;
  return { calls: Infinity, lifetimeLimit };
}

/** The time runs from now on. */
function openBudget({ simulateMs = SIMULATE_MS, onProgress }: PriceAsk): Budget {
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
