import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { openClassify } from '../dialect/classify.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { DEFAULT_MAPPING, type Mapping } from '../dialect/mapping.ts';
import { FailedError } from '../errors.ts';
import { callsInOrder, lastCallId } from '../warehouse/call.ts';
import type { DecidedName } from '../warehouse/inferred_schema.ts';
import { mergeRebuilt } from '../warehouse/merge.ts';
import { metaTable } from '../warehouse/meta.ts';
import { decidedNames, discardRebuild, openRebuild } from '../warehouse/rebuild.ts';
import { settledMapping } from '../warehouse/settled_mapping.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { derive } from './derive.ts';
import { LoadSession } from './load_session.ts';
import { outcomeOfStored } from './stored_attempt.ts';

interface ReprocessOptions {
  readonly warehouse: Warehouse;
  readonly dialect: Dialect;
  readonly mapping?: Mapping;
  /** Interrupts the rebuild between two batches. The next `reprocess` resumes it. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { done: number; lastCallId: number }) => void;
}

interface Reprocessed {
  /** False if the rebuild was interrupted. Readers then still see the old tables. */
  readonly isWhole: boolean;
  /** The number of calls that this function processed. */
  readonly calls: number;
}

/**
 * Rebuilds every derived table from the stored responses with the current dialect and mapping, without making any
 * calls. The tables are made in a file of their own. Then one transaction writes the rows that differ to the warehouse.
 * An interrupted rebuild can be resumed. The caller must hold the warehouse's lock.
 *
 * @throws FailedError if responses were pruned, because their rows cannot be rebuilt.
 */
export async function reprocess(options: ReprocessOptions): Promise<Reprocessed> {
  const { warehouse, dialect, mapping = DEFAULT_MAPPING, signal, onProgress } = options;
  refusePruned(warehouse);
  const madeBy = hashOf(warehouse, dialect, mapping);
  const file = openRebuild(warehouse, madeBy, 0);
  const meta = metaTable(file.db);
  let isWhole = false;
  try {
    const session = new LoadSession({
      warehouse: file,
      stored: warehouse.db,
      dialect,
      runId: 0,
      mapping,
      decided: namesToKeep(warehouse, mapping),
    });
    session.noteDialect();
    const classify = openClassify(dialect, metaTable(warehouse.db).get('entity_url'));
    const batch = (after: number) => callsInOrder(warehouse.db, after, BATCH);
    const last = lastCallId(warehouse.db);
    let done = 0;
    for (let calls = batch(meta.get('rebuild')?.after ?? 0); calls.length > 0; ) {
      if (signal?.aborted) return { isWhole: false, calls: done };
      const after = calls.at(-1)?.callId ?? 0;
      file.write(() => {
        for (const row of calls) {
          session.enterRun(row.runId);
          derive(session, outcomeOfStored(session, classify, row));
        }
        session.save();
        meta.set('rebuild', { after, madeBy });
      });
      done += calls.length;
      onProgress?.({ done, lastCallId: last });
      await setImmediate();
      calls = batch(after);
    }
    mergeRebuilt(warehouse, file, mapping);
    isWhole = true;
    return { isWhole, calls: done };
  } finally {
    file.close();
    if (isWhole) discardRebuild(warehouse);
  }
}

const BATCH = 500;

function refusePruned({ db }: Warehouse): void {
  const prunedUntil = metaTable(db).get('pruned_until');
  if (prunedUntil !== null)
    throw new FailedError(`responses before ${prunedUntil} were pruned, so their rows cannot be rebuilt`, {
      hint: 'A rebuild would lose history and the dates when companies were first seen. Restore a backup from before the pruning, or keep the tables as they are.',
    });
}

function hashOf({ db }: Warehouse, dialect: Dialect, mapping: Mapping): string {
  return createHash('sha256')
    .update(JSON.stringify([dialect, mapping, metaTable(db).get('schema_version')]))
    .digest('hex');
}

/** Returns the column and table names that the rebuild must keep, which are those that neither mapping defines. */
function namesToKeep({ db }: Warehouse, mapping: Mapping): DecidedName[] {
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
