import { isoTime } from '../clock.ts';
import { requireDialect } from '../config/config.ts';
import { type BackfillEstimate, estimateBackfill } from '../estimate/backfill_estimate.ts';
import { type BackfillItem, type BackfillRow, backfillTable } from '../warehouse/backfill.ts';
import { openBackfillKnowledge } from '../warehouse/backfill_knowledge.ts';
import { freshnessSince } from '../warehouse/backfill_progress.ts';
import { lastCallId } from '../warehouse/call.ts';
import type { Workspace } from './assemble.ts';
import type { BackfillOrder } from './backfill.ts';
import { listingOf } from './backfill_items.ts';

/** Estimates the calls that an order needs, without storing the order. */
export function estimateOrder(workspace: Workspace, order: BackfillOrder): BackfillEstimate {
  const { warehouse, clock } = workspace;
  const nowMs = clock.now();
  return estimateItems(workspace, order.items, {
    ...{
      backfillId: 0,
      title: order.title,
      withRecords: order.withRecords,
      finishedAt: null,
      cancelledAt: null,
    },
    ...{ createdAt: isoTime(nowMs), freshAfter: isoTime(nowMs - order.freshForMs) },
    afterCallId: lastCallId(warehouse.db),
  });
}

/** Estimates the calls that a backfill's remaining items need. */
export function estimateRest(workspace: Workspace, backfill: BackfillRow): BackfillEstimate {
  const table = backfillTable(workspace.warehouse.db);
  const open = (['entity', 'name', 'query', 'prefix'] as const).flatMap((kind) =>
    table.open(backfill.backfillId, kind),
  );
  return estimateItems(workspace, open, backfill);
}

function estimateItems(
  { warehouse, config }: Workspace,
  items: readonly BackfillItem[],
  backfill: BackfillRow,
): BackfillEstimate {
  const isFresh = freshnessSince(warehouse.db, backfill);
  const dialect = requireDialect(config);
  const of = (...kinds: readonly BackfillItem['kind'][]) => items.filter(({ kind }) => kinds.includes(kind));
  return estimateBackfill({
    knowledge: openBackfillKnowledge(warehouse, dialect, backfill, config.max_age.summaries.ms),
    dialect,
    wanted: {
      entityIds: of('entity').flatMap(({ given }) => (isFresh(given) ? [] : [given])),
      names: of('name').map(({ given }) => given),
      listings: of('query', 'prefix').map(listingOf),
      withRecords: backfill.withRecords,
    },
  });
}
