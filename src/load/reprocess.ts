import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { openClassify } from '../dialect/classify.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { DEFAULT_MAPPING, type Mapping } from '../dialect/mapping.ts';
import { FailedError } from '../errors.ts';
import { callsInOrder, lastCallId, type StoredCall } from '../warehouse/call.ts';
import { refreshCompanyView } from '../warehouse/company_view.ts';
import { carryOverVersions } from '../warehouse/feed/carry_over.ts';
import { DEFAULT_LIMITS, type ReservedNames, type SchemaLimits } from '../warehouse/inferred_schema.ts';
import { metaTable } from '../warehouse/meta.ts';
import {
  carryOverDecisions,
  createShadows,
  decidedNames,
  dropOldTables,
  hasShadows,
  swapShadowsIn,
} from '../warehouse/rebuild.ts';
import { settledMapping } from '../warehouse/settled_mapping.ts';
import { shadow } from '../warehouse/table_naming.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { derive } from './derive.ts';
import { type LoadSession, openLoadSession } from './load_session.ts';
import { enterRun, outcomeOfStored } from './stored_attempt.ts';

export interface ReprocessOptions {
  readonly warehouse: Warehouse;
  readonly dialect: Dialect;
  readonly mapping?: Mapping;
  readonly limits?: Partial<SchemaLimits>;
  /** Interrupts the rebuild between two batches. The next `reprocess` resumes it. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { done: number; lastCallId: number }) => void;
}

export interface Reprocessed {
  /** False if the rebuild was interrupted. Readers then still see the old tables. */
  readonly isWhole: boolean;
  /** The number of calls that this function processed. */
  readonly calls: number;
}

/**
 * Rebuilds every derived table from the stored responses with the current dialect and mapping, without making any
 * calls. Readers see the old tables until the new tables are complete. An interrupted rebuild can be resumed. The
 * caller must hold the warehouse's lock.
 *
 * @throws FailedError if responses were pruned, because their rows cannot be rebuilt.
 */
export async function reprocess(options: ReprocessOptions): Promise<Reprocessed> {
  const { warehouse, dialect, mapping = DEFAULT_MAPPING, limits = {}, signal, onProgress } = options;
  refusePruned(warehouse);
  dropOldTables(warehouse.db);
  let after = begin(warehouse, dialect, mapping);
  const session = openLoadSession({
    warehouse,
    dialect,
    runId: 0,
    naming: shadow,
    mapping,
    limits: { ...DEFAULT_LIMITS, columns: mapping.max_columns, ...limits },
    reserved: namesToKeep(warehouse, mapping),
  });
  const replay = openReplay(session);
  const batch = callsInOrder(warehouse.db);
  const last = lastCallId(warehouse.db);
  let done = 0;

  for (let calls = batch(after, BATCH); calls.length > 0; calls = batch(after, BATCH)) {
    if (signal?.aborted) return { isWhole: false, calls: done };
    after = warehouse.write(() => replay(calls));
    done += calls.length;
    onProgress?.({ done, lastCallId: last });
    await setImmediate();
  }

  warehouse.write(() => finish(warehouse, session, mapping));
  dropOldTables(warehouse.db);
  return { isWhole: true, calls: done };
}

const BATCH = 500;

function refusePruned({ db }: Warehouse): void {
  const prunedUntil = metaTable(db).get('pruned_until');
  if (prunedUntil !== null)
    throw new FailedError(`responses before ${prunedUntil} were pruned, so their rows cannot be rebuilt`, {
      hint: 'A rebuild would lose history and the dates when companies were first seen. Restore a backup from before the pruning, or keep the tables as they are.',
    });
}

interface Progress {
  readonly after: number;
  /** A hash of the dialect and mapping that produced the shadow tables. If the hash changes, the rebuild restarts. */
  readonly madeBy: string;
}

/**
 * Creates the shadow tables, or keeps those from an interrupted rebuild. Returns the id of the last call already loaded
 * into them.
 */
function begin(warehouse: Warehouse, dialect: Dialect, mapping: Mapping): number {
  const { db } = warehouse;
  const meta = metaTable(db);
  const madeBy = createHash('sha256')
    .update(JSON.stringify([dialect, mapping]))
    .digest('hex');
  const stored = JSON.parse(meta.get('rebuild') ?? 'null') as Progress | null;
  if (stored?.madeBy === madeBy && hasShadows(db)) return stored.after;
  warehouse.write(() => {
    createShadows(db);
    meta.set('next_absent_shape', null);
    meta.set('next_named_until', null);
    meta.set('rebuild', JSON.stringify({ after: 0, madeBy } satisfies Progress));
  });
  return 0;
}

/** Returns the column and table names that the rebuild must keep, which are those that neither mapping defines. */
function namesToKeep({ db }: Warehouse, mapping: Mapping): ReservedNames {
  const mappings = [settledMapping(db) ?? DEFAULT_MAPPING, mapping].map(
    ({ entity, search_result, registry_stats }) => ({
      entity,
      search_result,
      registry_stats,
    }),
  );
  return decidedNames(db, (root, pointer) =>
    mappings.every((rules) => rules[root][pointer]?.column === undefined),
  );
}

/** Returns a function that processes calls in order and stores the progress, in the caller's transaction. */
function openReplay(session: LoadSession): (calls: readonly StoredCall[]) => number {
  const classify = openClassify(session.dialect, session.meta.get('entity_url'));
  return (calls) => {
    for (const row of calls) {
      enterRun(session, row.runId);
      derive(session, outcomeOfStored(session, classify, row));
    }
    const last = calls.at(-1);
    if (last === undefined) return 0;
    session.save();
    const progress = JSON.parse(session.meta.get('rebuild') ?? '{}') as Progress;
    session.meta.set('rebuild', JSON.stringify({ ...progress, after: last.callId }));
    return last.callId;
  };
}

/** Replaces the live tables with the complete shadow tables. */
function finish(warehouse: Warehouse, session: LoadSession, mapping: Mapping): void {
  const { db } = warehouse;
  const { meta } = session;
  carryOverDecisions(db);
  session.known.indexNames();
  session.save();
  carryOverVersions(db);
  swapShadowsIn(db);
  for (const key of ['absent_shape', 'named_until'] as const) {
    meta.set(key, meta.get(`next_${key}`));
    meta.set(`next_${key}`, null);
  }
  meta.set('generation', String(Number(meta.get('generation') ?? '0') + 1));
  meta.set('mapping', JSON.stringify(mapping));
  meta.set('rebuild', null);
  session.describeRecords();
  refreshCompanyView(db);
}
