import { existsSync } from 'node:fs';
import type { Ledger, LedgerState } from './allowance/ledger.ts';
import { openLedgerOf, plannerOver, readScope, watchKnowledge, watchPlannerOver } from './assemble.ts';
import type { Call } from './call.ts';
import { isoTime } from './clock.ts';
import { type Config, requireDialect } from './config.ts';
import type { Focus, Left, Planner, Scope } from './plan/plan.ts';
import { priceSync, type SyncPrice } from './plan/sync_price.ts';
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
  const scope = readScope(config.scope);
  const ledger = openLedgerOf(config);
  const warehouse = existsSync(config.warehouse)
    ? openWarehouse({ path: config.warehouse, readonly: true, nowMs })
    : null;
  const empty = openWarehouse({ path: ':memory:', nowMs });
  const place: Place = { config, warehouse: warehouse ?? empty, empty, nowMs, focus };
  try {
    const state = ledger.state(nowMs);
    const planner = plannerOf(place, scope);
    const { calls } = planner.next({ nowMs, left: leftOf(state), most: Math.max(1, explain) });
    const isStatsDue = calls[0]?.kind === 'stats';
    return {
      ...{ state, scope },
      known: openKnowledge(place.warehouse).knownCount(),
      next: explain > 0 ? calls : [],
      price: scope.of === 'whole' ? priceWhole(place, isStatsDue) : priceWatched(place, scope, isStatsDue),
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
function plannerOf({ config, warehouse, nowMs, focus }: Place, scope: Scope): Planner {
  if (scope.of === 'whole')
    return plannerOver(openKnowledge(warehouse), config, { focus, kinds: ALL_KINDS, startedAtMs: nowMs });
  const knowledge = watchKnowledge({ config, warehouse }, nowMs);
  return watchPlannerOver(knowledge, config, { watchlist: scope, kinds: ALL_KINDS, startedAtMs: nowMs });
}

function priceWhole({ config, warehouse, empty, nowMs, focus }: Place, isStatsDue: boolean): SyncPrice {
  const before = isoTime(Math.max(0, nowMs - config.max_age.records.ms));
  return priceSync({
    ...{ knowledge: openKnowledge(warehouse), nothing: openKnowledge(empty), isStatsDue, nowMs },
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
