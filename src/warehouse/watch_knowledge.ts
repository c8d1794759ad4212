import { isoTime } from '../clock.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { BackfillKnowledge } from '../knowledge.ts';
import type { BackfillRow } from './backfill.ts';
import { openBackfillKnowledge } from './backfill_knowledge.ts';
import { freshnessSince } from './backfill_progress.ts';
import { openKnowledge } from './plan_knowledge.ts';
import type { Warehouse } from './warehouse.ts';

/**
 * Opens the lookups for planning a watchlist. A listing older than `summariesMs` is repeated. A record is fetched again
 * if it is older than `recordsMs` or flagged as changed.
 */
export function openWatchKnowledge(
  warehouse: Warehouse,
  dialect: Dialect,
  { nowMs, summariesMs, recordsMs }: { nowMs: number; summariesMs: number; recordsMs: number },
): BackfillKnowledge {
  const listings = openBackfillKnowledge(warehouse, dialect, since(nowMs - summariesMs, nowMs), summariesMs);
  return {
    ...listings,
    failures: openKnowledge(warehouse).failures,
    isFresh: freshnessSince(warehouse.db, since(nowMs - recordsMs, nowMs)),
  };
}

function since(freshAfterMs: number, createdAtMs: number): BackfillRow {
  return {
    backfillId: 0,
    title: 'watchlist',
    withRecords: true,
    freshAfter: isoTime(Math.max(0, freshAfterMs)),
    createdAt: isoTime(Math.max(0, createdAtMs)),
    afterCallId: 0,
    finishedAt: null,
    cancelledAt: null,
  };
}
