import { existsSync } from 'node:fs';
import type { LedgerState } from '../allowance/ledger.ts';
import { isLifetime } from '../allowance/windows.ts';
import { isoTime } from '../clock.ts';
import { type Config, requireDialect } from '../config/config.ts';
import { type BackfillEstimate, estimateBackfill, estimateWatchlist } from '../estimate/backfill_estimate.ts';
import { estimateSync, nextSearches, type SyncEstimate } from '../estimate/sync_estimate.ts';
import { Discovery } from '../plan/discovery/discovery.ts';
import { Pending } from '../plan/pending.ts';
import { priceOf } from '../plan/price.ts';
import { Statistics } from '../plan/statistics.ts';
import type { Focus, Pace, QuotaLeft } from '../planner.ts';
import { rejectedKinds } from '../report/completion_forecast.ts';
import { type BackfillItem, type BackfillRow, Backfills, type NewBackfill } from '../warehouse/backfill.ts';
import { metaTable } from '../warehouse/meta.ts';
import { NewerWarehouseError } from '../warehouse/migrate.ts';
import { openKnowledge } from '../warehouse/plan_knowledge.ts';
import { dueRecordCount } from '../warehouse/records_due.ts';
import { openBackfillKnowledge } from '../warehouse/wanted_knowledge.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import { maxAgeOf, syncPlanner, type Workspace, watchKnowledge } from './assemble.ts';
import { type BackfillOrder, newBackfill } from './backfill.ts';
import { readWatchlist, type Watchlist, wantedOf, watchedBy } from './backfill_items.ts';
import { configuredPace, openLedgerOf } from './configured_ledger.ts';
import { ALL_KINDS, type RunReport } from './run.ts';

interface EstimateInput {
  readonly nowMs: number;
  readonly focus: Focus;
  /** The maximum number of calls in the next run; default: the remaining quota. */
  readonly maxCalls?: number;
  /** How many of the next calls to return in `next`. */
  readonly explain: number;
}

/**
 * Estimates the calls that the next runs of `sync` will need, and plans the first calls with the planner that `sync`
 * uses. Nothing is written or sent.
 */
export function estimateNextSync(config: Config, input: EstimateInput) {
  const { nowMs, explain } = input;
  const watchlist = readWatchlist(config.scope);
  using ledger = openLedgerOf(config);
  using warehouse = existsSync(config.warehouse)
    ? openWarehouse({ path: config.warehouse, readonly: true, nowMs })
    : openWarehouse({ path: ':memory:', nowMs });
  const state = ledger.state(nowMs);
  const left = leftOf(state);
  // A watchlist is small, so its calls are never held back.
  const pace = watchlist === null ? configuredPace(config, state, nowMs) : null;
  const context: EstimateContext = { ...input, config, warehouse, pace };
  const planned = { focus: input.focus, kinds: ALL_KINDS, startedAtMs: nowMs, pace };
  const run = {
    isStatsDue: isStatsCallDue(context, left),
    left: Math.min(state.left, input.maxCalls ?? Number.POSITIVE_INFINITY),
  };
  return {
    state,
    /** The kinds of calls that the upstream rejects. */
    rejected: rejectedKinds(warehouse.db),
    /** Null if the scope is the whole registry. */
    watchlist,
    /** The next calls, best first. The estimate does not send them. */
    next: explain === 0 ? [] : syncPlanner(context, planned).next({ nowMs, left, most: explain }).calls,
    pace,
    /** The number of known companies that exist. */
    known: openKnowledge(warehouse).existingCount(),
    estimate: watchlist === null ? estimateWhole(context, run) : estimateWatched(context, watchlist, run),
  };
}

interface EstimateContext extends EstimateInput {
  readonly config: Config;
  readonly warehouse: Warehouse;
  /** The budget that must last; null if calls are sent as soon as they are due. */
  readonly pace: Pace | null;
}

interface NextRunFacts {
  readonly isStatsDue: boolean;
  readonly left: number;
}

/** Returns whether a statistics call is due and may be sent now. */
function isStatsCallDue({ config, warehouse, nowMs }: EstimateContext, left: QuotaLeft): boolean {
  const { statsMs } = maxAgeOf(config);
  if (statsMs === null) return false;
  const knowledge = openKnowledge(warehouse);
  const age = { startedAtMs: nowMs, maxAgeMs: statsMs };
  const statistics = new Statistics({ knowledge, age, pending: new Pending(knowledge.failures()) });
  return statistics.best({ nowMs, left, most: 1 }) !== null;
}

function estimateWhole(context: EstimateContext, run: NextRunFacts): SyncEstimate {
  const { config, warehouse, nowMs, focus, pace } = context;
  const knowledge = openKnowledge(warehouse);
  const dialect = requireDialect(config);
  const price = priceOf({
    knowledge,
    pace,
    nowMs,
    maxAge: maxAgeOf(config),
    pageSize: dialect.search.paging.size,
  });
  const before = (ageMs: number) => Math.max(0, nowMs - ageMs);
  const pending = new Pending(knowledge.failures());
  const discovery = new Discovery({ knowledge, dialect, pending, startedAtMs: nowMs });
  return estimateSync({
    knowledge,
    dialect,
    nowMs,
    focus,
    priceDays: price.days,
    ...run,
    recordsDue:
      price.days === 0
        ? dueRecordCount(warehouse.db, before(config.max_age.records.ms))
        : dueRecordCount(warehouse.db, 0) + knowledge.recordsOlderThan(price.ages, nowMs),
    searches: nextSearches(discovery, nowMs),
    listingsBeforeMs: before(config.max_age.summaries.ms),
  });
}

function estimateWatched(
  { config, warehouse, nowMs }: EstimateContext,
  watchlist: Watchlist,
  run: NextRunFacts,
): SyncEstimate {
  const knowledge = watchKnowledge({ config, warehouse }, nowMs);
  return estimateWatchlist({
    knowledge,
    dialect: requireDialect(config),
    wanted: watchedBy(watchlist),
    ...run,
  });
}

/** Returns a quota with unlimited calls, because the plan also covers the time after the allowance resets. */
function leftOf(state: LedgerState): QuotaLeft {
  const lifetimeLimit = state.windows.find(isLifetime)?.limit ?? null;
  return { calls: Number.POSITIVE_INFINITY, lifetimeLimit };
}

/**
 * Estimates the calls needed until nothing is due, and stores the estimate for `status` and the status page. Call this
 * function after a run.
 */
export function updateStoredEstimate(workspace: Workspace, { totals }: Pick<RunReport, 'totals'>): void {
  const { config, warehouse, clock } = workspace;
  if (
    config.dialect === undefined ||
    (totals.calls === 0 && metaTable(warehouse.db).get('estimate') !== null)
  )
    return;
  const nowMs = clock.now();
  try {
    const { estimate } = estimateNextSync(config, { nowMs, focus: config.focus, explain: 0 });
    metaTable(warehouse.db).set('estimate', { at: isoTime(nowMs), calls: estimate.total });
  } catch (error) {
    // A newer version of the program migrated the file during this run, and will store an estimate after its own run.
    if (!(error instanceof NewerWarehouseError)) throw error;
  }
}

/** Estimates the calls that a backfill order needs, without storing the order. */
export function estimateOrder(workspace: Workspace, order: BackfillOrder): BackfillEstimate {
  return estimateItems(workspace, order.items, newBackfill(workspace, order));
}

/** Estimates the calls that a backfill's remaining items need. */
export function estimateRest(workspace: Workspace, backfill: BackfillRow): BackfillEstimate {
  const open = new Backfills(workspace.warehouse.db).open(backfill.backfillId);
  return estimateItems(workspace, open, backfill);
}

function estimateItems(
  { warehouse, config }: Workspace,
  items: readonly BackfillItem[],
  backfill: NewBackfill,
): BackfillEstimate {
  const dialect = requireDialect(config);
  const knowledge = openBackfillKnowledge(warehouse, dialect, backfill, config.max_age.summaries.ms);
  const { wanted } = wantedOf(items, backfill.withRecords === 1);
  return estimateBackfill({ knowledge, dialect, wanted });
}
