import { parentPort, workerData } from 'node:worker_threads';
import { buffersOf, buildNameIndex, type NameIndex } from '../names/name_index.ts';
import { fold } from '../names/name_search.ts';
import { companiesById, companiesByName, namesMark } from '../warehouse/serve_names.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';

/** The message that the worker sends. */
export interface BuiltIndex {
  readonly index: NameIndex;
  /** The warehouse's mark when the index was built (see `namesMark`). */
  readonly mark: string;
}

const { path, nowMs } = workerData as { path: string; nowMs: number };
const { db } = openWarehouse({ path, readonly: true, nowMs });

/** Reads all rows in one transaction, so that the index is consistent. */
const build = db.transaction((): BuiltIndex => {
  const mark = namesMark(db)();
  const index = buildNameIndex({ byName: companiesByName(db, fold), byId: () => companiesById(db) });
  return { index, mark };
});

const built = build();
db.close();
parentPort?.postMessage(built, buffersOf(built.index));
