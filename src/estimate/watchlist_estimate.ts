import type { Dialect } from '../dialect/dialect.ts';
import type { BackfillKnowledge } from '../knowledge.ts';
import { sizeOf } from '../plan/registry_size.ts';
import { findingsOf, type Watchlist, wantedNow } from '../plan/wanted/watchlist.ts';
import { estimateBackfill } from './backfill_estimate.ts';
import { type CallRange, exactly, reducedBy, sumOf } from './call_range.ts';
import type { NextRun, SyncEstimate } from './sync_estimate.ts';

export interface WatchlistEstimateInput {
  readonly knowledge: BackfillKnowledge;
  readonly dialect: Dialect;
  readonly watchlist: Watchlist;
  readonly isStatsDue: boolean;
  /** The number of calls that the next run can make. Infinity means no limit. */
  readonly left: number;
}

/** Estimates a watchlist's sync like a backfill, excluding records that are still fresh. */
export function estimateWatchlist({
  knowledge,
  dialect,
  watchlist,
  isStatsDue,
  left,
}: WatchlistEstimateInput): SyncEstimate {
  const kinds = new Set(['search', 'entity'] as const);
  const wanted = wantedNow({ knowledge, dialect, watchlist, kinds });
  const estimate = estimateBackfill({ knowledge, dialect, wanted });
  const { found, spared } = knownOf({ knowledge, dialect, watchlist });
  const stats = exactly(isStatsDue ? 1 : 0);
  const listCalls: CallRange = reducedBy(estimate.total, estimate.stats.low + spared);
  const parts = {
    stats,
    search: estimate.search,
    entity: reducedBy(estimate.entity, spared),
    total: sumOf([stats, listCalls]),
    companies: watchlist.of === 'ids' ? exactly(0) : reducedBy(estimate.entity, found),
  };
  return { ...parts, size: sizeOf(knowledge, dialect), priceDays: 0, nextRun: nextRunOf(parts, left) };
}

/** A watchlist's searches come before its records. */
function nextRunOf(parts: Omit<SyncEstimate, 'size' | 'priceDays' | 'nextRun'>, left: number): NextRun {
  const calls = atMost(parts.total, left);
  const searches = atMost(parts.search, left - parts.stats.low);
  return {
    ...{ calls, statistics: atMost(parts.stats, left), searches },
    records: atMost(parts.entity, left - parts.stats.low - searches.low),
    companies: parts.companies,
  };
}

function atMost({ low, high }: CallRange, most: number): CallRange {
  return {
    low: Math.min(low, most),
    high: high === null && most === Infinity ? null : Math.min(high ?? most, most),
  };
}

/**
 * Returns how many companies in the backfill estimate have already been found (`found`), and how many of their records
 * need no call (`spared`).
 */
function knownOf({ knowledge, dialect, watchlist }: Omit<WatchlistEstimateInput, 'isStatsDue' | 'left'>) {
  switch (watchlist.of) {
    case 'ids':
      return { found: 0, spared: 0 };
    case 'names': {
      const found = findingsOf(watchlist.names, knowledge, dialect).flatMap((finding) =>
        finding.is === 'found' ? [finding.company.entityId] : [],
      );
      return { found: found.length, spared: found.filter((id) => knowledge.isFresh(id)).length };
    }
    case 'queries': {
      const { listings } = wantedNow({ knowledge, dialect, watchlist, kinds: new Set(['search']) });
      const listed = listings.flatMap(({ query }) => knowledge.listed(query).map(({ entityId }) => entityId));
      // A company in several listings is fetched only once.
      const due = [...new Set(listed)].filter((id) => !knowledge.isFresh(id));
      return { found: listed.length, spared: listed.length - due.length };
    }
  }
}
