import type { Dialect } from '../dialect/dialect.ts';
import type { BackfillKnowledge } from '../knowledge.ts';
import { sizeOf } from '../plan/registry_size.ts';
import { findingsOf, type Watchlist, wantedNow } from '../plan/wanted/watchlist_planner.ts';
import { estimateBackfill } from './backfill_estimate.ts';
import { type CallRange, exactly, reducedBy, sumOf } from './call_range.ts';
import type { SyncEstimate } from './sync_estimate.ts';

export interface WatchlistEstimateInput {
  readonly knowledge: BackfillKnowledge;
  readonly dialect: Dialect;
  readonly watchlist: Watchlist;
  readonly isStatsDue: boolean;
}

/** Estimates a watchlist's sync like a backfill, excluding records that are still fresh. */
export function estimateWatchlist({
  knowledge,
  dialect,
  watchlist,
  isStatsDue,
}: WatchlistEstimateInput): SyncEstimate {
  const kinds = new Set(['search', 'entity'] as const);
  const wanted = wantedNow({ knowledge, dialect, watchlist, kinds });
  const estimate = estimateBackfill({ knowledge, dialect, wanted });
  const { found, spared } = knownOf({ knowledge, dialect, watchlist });
  const stats = exactly(isStatsDue ? 1 : 0);
  const listCalls: CallRange = reducedBy(estimate.total, estimate.stats.low + spared);
  return {
    stats,
    search: estimate.search,
    entity: reducedBy(estimate.entity, spared),
    total: sumOf([stats, listCalls]),
    companies: watchlist.of === 'ids' ? exactly(0) : reducedBy(estimate.entity, found),
    size: sizeOf(knowledge, dialect),
  };
}

/**
 * Returns how many companies in the backfill estimate have already been found (`found`), and how many of their records
 * need no call (`spared`).
 */
function knownOf({ knowledge, dialect, watchlist }: Omit<WatchlistEstimateInput, 'isStatsDue'>) {
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
