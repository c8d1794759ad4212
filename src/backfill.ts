import { createHash } from 'node:crypto';
import type { House } from './assemble.ts';
import { queryKey, type SearchQuery } from './call.ts';
import { requireDialect } from './config.ts';
import { FailedError, UsageError } from './errors.ts';
import type { Outcome } from './outcome.ts';
import { BackfillPlanner } from './plan/backfill.ts';
import { folded } from './plan/folding.ts';
import type { WantedListing } from './plan/listings.ts';
import { ALL_KINDS, type RunReport, run } from './run.ts';
import type { Tally } from './tally.ts';
import {
  type BackfillRow,
  backfillTable,
  failedSearchesSince,
  type Settled,
  settleEntities,
  settleFailedEntities,
  type Wish,
  type WishRow,
  type WishState,
} from './warehouse/backfill.ts';
import { openBackfillKnowledge } from './warehouse/backfill_knowledge.ts';
import { lastCallId } from './warehouse/call.ts';

/**
 * A backfill: a run over an explicit list, kept in the warehouse until everything on it is settled. The engine
 * is the same; only the planner is fed by the list, and the reserve of the allowance is left alone.
 */

/** What is asked for. */
export interface BackfillOrder {
  /** In words: `5,000 ids from companies.csv`. */
  readonly title: string;
  readonly wishes: readonly Wish[];
  /** Equal for two orders of the same, whatever is settled meanwhile. */
  readonly identity: string;
  /** Also fetch the records of companies found by a search. */
  readonly withRecords: boolean;
  /** Records fetched within so many milliseconds are left as they are; 0: all are fetched. */
  readonly freshForMs: number;
}

/** Keeps the order in the warehouse. The very same order goes on with the unfinished one. */
export function keepBackfill(
  house: House,
  order: BackfillOrder,
): { backfill: BackfillRow; isContinued: boolean } {
  const { warehouse, clock } = house;
  const table = backfillTable(warehouse.db);
  return warehouse.write(() => {
    const orderHash = hashOf(order);
    const unfinished = table.unfinishedOf(orderHash);
    if (unfinished !== null) return { backfill: unfinished, isContinued: true };
    const nowMs = clock.now();
    const { title, withRecords, wishes, freshForMs } = order;
    const facts = { title, orderHash, withRecords, nowMs, freshAfterMs: nowMs - freshForMs };
    const backfillId = table.create({ ...facts, afterCallId: lastCallId(warehouse.db) }, wishes);
    return { backfill: backfillOf(house, backfillId), isContinued: false };
  });
}

/** @throws UsageError when there is none of this number. */
export function backfillOf({ warehouse }: House, backfillId: number): BackfillRow {
  const found = backfillTable(warehouse.db).find(backfillId);
  if (found !== null) return found;
  throw new UsageError(`there is no backfill ${backfillId} in this warehouse`, {
    hint: 'Run `registry-mirror backfill --list` to see those that are not finished.',
  });
}

/** A backfill with its planner, as far as it has come. */
export interface OpenBackfill {
  readonly backfill: BackfillRow;
  readonly planner: BackfillPlanner;
  /** Writes down what is known of each wish by now. `isOver`: nothing more will be asked. */
  settle(isOver: boolean): void;
}

export function openBackfill(house: House, backfill: BackfillRow): OpenBackfill {
  const { warehouse, config } = house;
  const table = backfillTable(warehouse.db);
  const { backfillId } = backfill;
  settleEntities(warehouse.db, backfill);
  const entities = table.open(backfillId, 'entity');
  const names = table.open(backfillId, 'name');
  const queries = table.open(backfillId, 'query');
  const listings = [...queries, ...table.open(backfillId, 'prefix')];
  const dialect = requireDialect(config);
  const planner = new BackfillPlanner({
    knowledge: openBackfillKnowledge(warehouse, dialect, backfill, config.max_age.summaries.ms),
    dialect,
    wanted: {
      entityIds: entities.map(({ given }) => given),
      names: names.map(({ given }) => given),
      listings: listings.map(listingOf),
      withRecords: backfill.withRecords,
    },
  });
  return {
    backfill,
    planner,
    settle: (isOver) =>
      warehouse.write(() => {
        settleEntities(warehouse.db, backfill);
        const failed = isOver
          ? failedSearchesSince(warehouse.db, backfill.afterCallId)
          : new Map<string, string>();
        const settled = [
          ...names.flatMap(
            (wish, at) => settledName(wish, planner, at) ?? failedSearch(wish, failed, isOver) ?? [],
          ),
          ...listings.flatMap(
            (wish, at) => settledListing(wish, planner, at) ?? failedSearch(wish, failed, isOver) ?? [],
          ),
        ];
        for (const one of settled) table.settle(backfillId, one);
        if (isOver) settleFailedEntities(warehouse.db, backfill);
      }),
  };
}

export interface BackfillRun {
  readonly backfillId: number;
  readonly maxCalls: number;
  readonly maxMinutes: number;
  readonly signal: AbortSignal;
  readonly onStarted?: (runId: number) => void;
  readonly onProgress?: (tally: Tally, last: Outcome) => void;
}

export interface BackfillReport {
  readonly backfill: BackfillRow;
  readonly counts: Readonly<Record<WishState, number>>;
  readonly run: RunReport;
}

/** Works on a backfill until it is settled, the allowance but for its reserve is spent, or a bound is reached. */
export async function runBackfill(house: House, order: BackfillRun): Promise<BackfillReport> {
  const { warehouse, clock, config } = house;
  const { backfillId, ...bounds } = order;
  const backfill = backfillOf(house, backfillId);
  refuseOver(backfill);
  let opened: OpenBackfill | null = null;
  const report = await run(house, {
    ...bounds,
    command: 'backfill',
    purpose: 'backfill',
    kinds: ALL_KINDS,
    focus: config.focus,
    openPlanner: () => {
      opened = openBackfill(house, backfill);
      return opened.planner;
    },
  });
  const isOver = report.ending.ended === 'done';
  (opened as OpenBackfill | null)?.settle(isOver);
  const table = backfillTable(warehouse.db);
  if (isOver) table.finish(backfillId, clock.now());
  return { backfill: backfillOf(house, backfillId), counts: table.counts(backfillId), run: report };
}

function refuseOver({ backfillId, finishedAt, cancelledAt }: BackfillRow): void {
  if (finishedAt !== null)
    throw new FailedError(`backfill ${backfillId} is finished since ${finishedAt}`, {
      hint: `Its report is written by \`registry-mirror backfill --resume ${backfillId} --report FILE\`.`,
    });
  if (cancelledAt !== null) throw new FailedError(`backfill ${backfillId} was cancelled on ${cancelledAt}`);
}

function settledName({ position }: WishRow, planner: BackfillPlanner, at: number): Settled | null {
  const finding = planner.finding(at);
  const nothing = { position, entityId: null, name: null, candidates: null, note: null };
  switch (finding.is) {
    case 'open':
      return null;
    case 'not_found':
      return { ...nothing, state: 'not_found' };
    case 'found': {
      const { entityId, name } = finding.company;
      return { ...nothing, state: 'found', entityId, name };
    }
    case 'ambiguous': {
      const candidates = finding.candidates.map(({ entityId, name, score }) => ({
        entity_id: entityId,
        name,
        score: Math.round(score * 1000) / 1000,
      }));
      const same = finding.candidates.filter(({ score }) => score === 1).length;
      const note =
        same === 0
          ? 'only similar names'
          : same === 1
            ? 'there may be others of this name'
            : `${same} companies have this name`;
      return { ...nothing, state: 'ambiguous', candidates: JSON.stringify(candidates), note };
    }
  }
}

function settledListing({ position, given }: WishRow, planner: BackfillPlanner, at: number): Settled | null {
  const { isDone, found, total } = planner.listing(at);
  if (!isDone) return null;
  const isCut = total !== null && found < total;
  const note = isCut
    ? `${found} companies of the ${total} that match: the registry shows no more of \`${given}\``
    : `${found} companies`;
  const state = found > 0 ? 'found' : 'not_found';
  return { position, state, entityId: null, name: null, candidates: null, note };
}

function failedSearch(wish: WishRow, failed: ReadonlyMap<string, string>, isOver: boolean): Settled | null {
  if (!isOver) return null;
  const note = failed.get(queryKey(queryOf(wish))) ?? 'the searches for it failed';
  return { position: wish.position, state: 'failed', entityId: null, name: null, candidates: null, note };
}

function listingOf(wish: WishRow): WantedListing {
  return { query: queryOf(wish), splits: wish.kind === 'prefix' };
}

function queryOf({ searchedBy, given }: WishRow): SearchQuery {
  return searchedBy === 'identifier'
    ? { by: 'identifier', text: given }
    : { by: 'name', text: folded(given) };
}

function hashOf({ identity, withRecords, freshForMs }: BackfillOrder): string {
  return createHash('sha256')
    .update(JSON.stringify([identity, withRecords, freshForMs]))
    .digest('hex');
}
