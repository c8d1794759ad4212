import { createHash } from 'node:crypto';
import { isoTime } from '../clock.ts';
import { requireDialect } from '../config/config.ts';
import { FailedError, UsageError } from '../errors.ts';
import type { Guard } from '../plan/candidate.ts';
import { ONCE } from '../plan/due.ts';
import { needsCount, WantedPlanner } from '../plan/wanted/wanted_planner.ts';
import { EMPTY_TOTALS, type RunTotals, sumOfTotals } from '../run_totals.ts';
import {
  type BackfillItem,
  type BackfillRow,
  Backfills,
  type NewBackfill,
  settleEntities,
  settleFailedEntities,
} from '../warehouse/backfill.ts';
import { lastCallId } from '../warehouse/call.ts';
import { failuresAfter } from '../warehouse/failure.ts';
import { openBackfillKnowledge } from '../warehouse/wanted_knowledge.ts';
import type { Workspace } from './assemble.ts';
import { failedSearch, settledListing, settledName, wantedOf } from './backfill_items.ts';
import { type RunBounds, type RunReport, runEngine } from './run.ts';

/**
 * A backfill fetches an explicit list of items. The warehouse stores the list until every item is settled. A backfill
 * uses the same engine as `sync` with a different planner, and does not spend the allowance's reserve.
 */

/** The requested items and their options. */
export interface BackfillOrder {
  /** The description for users, such as `5,000 ids from companies.csv`. */
  readonly title: string;
  readonly items: readonly BackfillItem[];
  /** Two orders have the same identity if they request the same items, even if some items are already settled. */
  readonly identity: string;
  /** Whether to fetch the records of companies that a search finds. */
  readonly withRecords: boolean;
  /** Records younger than this many milliseconds are not fetched again. With 0, all records are fetched. */
  readonly freshForMs: number;
}

/**
 * Stores the order in the warehouse. If an unfinished backfill requests the same items, returns that backfill instead.
 */
export function keepBackfill(
  workspace: Workspace,
  order: BackfillOrder,
): { backfill: BackfillRow; isContinued: boolean } {
  const { warehouse } = workspace;
  const table = new Backfills(warehouse.db);
  return warehouse.write(() => {
    const unfinished = table.unfinishedOf(hashOf(order));
    if (unfinished !== null) return { backfill: unfinished, isContinued: true };
    const backfillId = table.create(newBackfill(workspace, order), order.items);
    return { backfill: backfillOf(workspace, backfillId), isContinued: false };
  });
}

/** Returns the facts that are stored when a backfill starts. */
export function newBackfill({ warehouse, clock }: Workspace, order: BackfillOrder): NewBackfill {
  const nowMs = clock.now();
  return {
    title: order.title,
    orderHash: hashOf(order),
    withRecords: order.withRecords ? 1 : 0,
    freshAfter: isoTime(nowMs - order.freshForMs),
    afterCallId: lastCallId(warehouse.db),
    createdAt: isoTime(nowMs),
  };
}

/** @throws UsageError if there is no backfill with this number. */
export function backfillOf({ warehouse }: Workspace, backfillId: number): BackfillRow {
  const found = new Backfills(warehouse.db).find(backfillId);
  if (found !== null) return found;
  throw new UsageError(`there is no backfill ${backfillId} in this warehouse`, {
    hint: 'List the unfinished backfills: registry-mirror backfill --list',
  });
}

/** Opens a backfill with its planner and its remaining items. */
function openBackfill(workspace: Workspace, backfill: BackfillRow, guards: readonly Guard[]) {
  const { warehouse, config } = workspace;
  const table = new Backfills(warehouse.db);
  const { backfillId } = backfill;
  settleEntities(warehouse.db, backfill);
  const { wanted, names, listings } = wantedOf(table.open(backfillId), backfill.withRecords === 1);
  const dialect = requireDialect(config);
  const planner = new WantedPlanner({
    guards,
    knowledge: openBackfillKnowledge(warehouse, dialect, backfill, config.max_age.summaries.ms),
    dialect,
    statistics: needsCount(dialect, wanted.names) ? ONCE : null,
    wanted,
  });
  return {
    planner,
    /** Stores each item's current result. `isOver` means that no more calls will be sent. */
    settle: (isOver: boolean) =>
      warehouse.write(() => {
        settleEntities(warehouse.db, backfill);
        const failures = isOver ? failuresAfter(warehouse.db, backfill.afterCallId) : [];
        const searches = failures.filter(({ kind }) => kind === 'search');
        const failed = new Map(searches.map(({ target, why }) => [target, why]));
        const settled = [
          ...names.flatMap(
            (item, at) => settledName(item, planner, at, isOver) ?? failedSearch(item, failed, isOver) ?? [],
          ),
          ...listings.flatMap(
            (item, at) =>
              settledListing(item, planner, at, isOver) ?? failedSearch(item, failed, isOver) ?? [],
          ),
        ];
        for (const one of settled) table.settle(backfillId, one);
        if (isOver) settleFailedEntities(warehouse.db, backfill);
      }),
  };
}

interface BackfillRun extends RunBounds {
  readonly backfillId: number;
}

export type BackfillReport = Awaited<ReturnType<typeof runBackfill>>;

/**
 * Runs a backfill until every item is settled, only the reserve remains, or a limit in `order` is reached. A backfill
 * pauses for scheduled runs and resumes when they have ended.
 */
export async function runBackfill(workspace: Workspace, order: BackfillRun) {
  const { warehouse, clock } = workspace;
  const backfill = backfillOf(workspace, order.backfillId);
  requireUnfinished(backfill);
  const { maxCalls: mostCalls = Infinity, maxMinutes: mostMinutes = Infinity } = order;
  const untilMs = clock.now() + mostMinutes * 60_000;
  let totals = EMPTY_TOTALS;
  let report: RunReport;
  let isAside = false;
  do {
    if (isAside) await clock.sleep(ASIDE_POLL_MS, order.signal);
    const maxCalls = mostCalls - totals.calls;
    const maxMinutes = Math.max(0, untilMs - clock.now()) / 60_000;
    report = await runOnce(workspace, backfill, { ...order, maxCalls, maxMinutes }, totals);
    totals = sumOfTotals(totals, report.totals);
    isAside = report.hasStoodAside || (isAside && report.ending.ended === 'another_run');
  } while (isAside && !order.signal.aborted && clock.now() < untilMs);

  const table = new Backfills(warehouse.db);
  if (report.ending.ended === 'done') table.finish(order.backfillId, clock.now());
  return {
    backfill: backfillOf(workspace, order.backfillId),
    counts: table.counts(order.backfillId),
    run: { ...report, totals },
  };
}

/**
 * Runs the backfill until it is first interrupted. `before` holds the totals of earlier runs, for the progress line.
 */
async function runOnce(
  workspace: Workspace,
  backfill: BackfillRow,
  order: BackfillRun,
  before: RunTotals,
): Promise<RunReport> {
  const { backfillId: _, onProgress, ...bounds } = order;
  let opened: ReturnType<typeof openBackfill> | null = null;
  const report = await runEngine(workspace, {
    ...bounds,
    ...(onProgress && {
      onProgress: (totals, outcomes) => onProgress(sumOfTotals(before, totals), outcomes),
    }),
    command: 'backfill',
    purpose: 'backfill',
    openPlanner: (guards) => {
      opened = openBackfill(workspace, backfill, guards);
      return opened.planner;
    },
  });
  (opened as ReturnType<typeof openBackfill> | null)?.settle(report.ending.ended === 'done');
  return report;
}

const ASIDE_POLL_MS = 500;

/** @throws FailedError if the backfill is finished or cancelled. */
export function requireUnfinished({ backfillId, finishedAt, cancelledAt }: BackfillRow): void {
  if (finishedAt !== null)
    throw new FailedError(`backfill ${backfillId} finished on ${finishedAt}`, {
      hint: `Write its report: registry-mirror backfill --resume ${backfillId} --report FILE`,
    });
  if (cancelledAt !== null) throw new FailedError(`backfill ${backfillId} was cancelled on ${cancelledAt}`);
}

function hashOf({ identity, withRecords, freshForMs }: BackfillOrder): string {
  return createHash('sha256')
    .update(JSON.stringify([identity, withRecords, freshForMs]))
    .digest('hex');
}
