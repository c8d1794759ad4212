import type { Dialect } from '../dialect/dialect.ts';
import type { Knowledge } from '../knowledge.ts';
import type { Planner, PlannerSettings } from '../planner.ts';
import type { Guard } from './candidate.ts';
import { ContradictedListings } from './contradicted_listings.ts';
import { Discovery } from './discovery/discovery.ts';
import { Pending } from './pending.ts';
import { PriceGuard, priceOf } from './price.ts';
import { RankedPlanner } from './ranked_planner.ts';
import { openRefresh } from './refresh/refresh.ts';
import { Searches } from './searches.ts';
import { Statistics } from './statistics.ts';

/**
 * Opens the planner for `sync`. The list of sources shows every sort of call that it can plan. It only reads `knowledge`.
 */
export function openSyncPlanner(options: {
  readonly knowledge: Knowledge;
  readonly dialect: Dialect;
  readonly settings: PlannerSettings;
  readonly guards?: readonly Guard[];
}): Planner {
  const { knowledge, dialect, settings, guards = [] } = options;
  const { startedAtMs, maxAge, kinds } = settings;
  const pending = new Pending(knowledge.failures());
  const { valuation, records, listings } = openRefresh({
    knowledge,
    settings,
    pending,
    hasQueries: dialect.search.query_param !== null,
  });
  const price = priceOf({
    knowledge,
    maxAge,
    pace: settings.pace ?? null,
    nowMs: startedAtMs,
    pageSize: kinds.has('search') ? dialect.search.paging.size : null,
  });
  valuation.priceDays = price.days;
  const discovery = new Discovery({
    knowledge,
    dialect,
    pending,
    startedAtMs,
    isRepeated: (search) => listings.isSweep(search),
  });
  const worth = (nowMs: number) => listings.shareNotJoined(nowMs) * valuation.companies(1);
  const { statsMs } = maxAge;
  return new RankedPlanner({
    sources: [
      ...(kinds.has('stats') && statsMs !== null
        ? [new Statistics({ knowledge, age: { startedAtMs, maxAgeMs: statsMs }, pending })]
        : []),
      ...(kinds.has('search')
        ? [new ContradictedListings(knowledge.queries(), pending, [...knowledge.failures()])]
        : []),
      ...(kinds.has('search') ? [new Searches({ goals: [discovery], pending, worth })] : []),
      ...(kinds.has('entity') ? [records] : []),
      ...(kinds.has('search') ? [listings] : []),
    ],
    guards: price.days === 0 ? guards : [...guards, new PriceGuard(price)],
    pending,
    kinds,
    knownCount: () => knowledge.knownCount(),
    onFinished: () => valuation.finished(),
  });
}
