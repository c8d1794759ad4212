import type { Database } from 'better-sqlite3';
import type { Known, KnownRow } from './known_row.ts';
import { nameIndex } from './name_index.ts';
import type { Naming } from './table_naming.ts';
import { tallyTable } from './tally.ts';

const COLUMNS = {
  entityId: 'entity_id',
  name: 'name',
  formerNames: 'former_names',
  identifiers: 'identifiers',
  firstSeenAt: 'first_seen_at',
  lastSeenAt: 'last_seen_at',
  listedAt: 'listed_at',
  askedAt: 'asked_at',
  fetchedAt: 'fetched_at',
  changedAt: 'changed_at',
  flaggedAt: 'flagged_at',
  missingAt: 'missing_at',
  missingShape: 'missing_shape',
  missingRun: 'missing_run',
  goneAt: 'gone_at',
  summaryHash: 'summary_hash',
  recordCallId: 'record_call_id',
  changes: 'changes',
  changingDays: 'changing_days',
  changingLog: 'changing_log',
  steadyDays: 'steady_days',
  rateClass: 'rate_class',
} as const satisfies Record<keyof Known, string>;

/** `_known`, with its full-text index and its counts. All three change together. */
export function knownTable(db: Database, naming: Naming) {
  const table = naming('_known');
  const names = nameIndex(db, naming);
  const totals = tallyTable(db, naming);
  const selected = `known_id AS knownId, ${KEYS.map((key) => `${COLUMNS[key]} AS ${key}`).join(', ')}`;
  const find = db.prepare<[string], KnownRow>(`SELECT ${selected} FROM ${table} WHERE entity_id = ?`);
  const insert = db.prepare<unknown[]>(
    `INSERT INTO ${table} (${KEYS.map((key) => COLUMNS[key]).join(', ')}) VALUES (${KEYS.map(() => '?').join(', ')})`,
  );
  const update = db.prepare<unknown[]>(
    `UPDATE ${table} SET ${MUTABLE.map((key) => `${COLUMNS[key]} = ?`).join(', ')} WHERE known_id = ?`,
  );
  const listedAgain = db.prepare<[string, string, number]>(
    `UPDATE ${table} SET last_seen_at = ?, listed_at = ? WHERE known_id = ?`,
  );
  const listedAgainRated = db.prepare<[string, string, number, number]>(
    `UPDATE ${table} SET last_seen_at = ?, listed_at = ?, rate_class = ? WHERE known_id = ?`,
  );
  const fetchedAgain = db.prepare<[FetchedAgain & { knownId: number; at: string }]>(
    `UPDATE ${table} SET last_seen_at = @at, asked_at = @at, fetched_at = @at, changes = @changes,
       changing_days = @changingDays, changing_log = @changingLog, steady_days = @steadyDays, rate_class = @rateClass
     WHERE known_id = @knownId`,
  );
  const missingInRun = db.prepare<[number], KnownRow>(
    `SELECT ${selected} FROM ${table} WHERE missing_run = ? AND missing_at IS NOT NULL`,
  );
  // Processing one response looks up the same company several times.
  let found: { readonly entityId: string; readonly row: KnownRow | undefined } | null = null;
  return {
    find: (entityId: string): KnownRow | undefined => {
      if (found?.entityId !== entityId) found = { entityId, row: find.get(entityId) };
      return found.row;
    },
    add: (known: Known): void => {
      found = null;
      const { lastInsertRowid } = insert.run(KEYS.map((key) => known[key]));
      names.add({ ...known, knownId: Number(lastInsertRowid) });
      totals.count(known, 1);
    },
    replace: (before: KnownRow, after: KnownRow): void => {
      found = null;
      update.run([...MUTABLE.map((key) => after[key]), after.knownId]);
      names.replace(before, after);
      totals.count(before, -1);
      totals.count(after, 1);
    },
    /** Records that a search showed the company unchanged. */
    listedAgain: ({ knownId, rateClass }: KnownRow, at: string, ratedAs: number): void => {
      found = null;
      if (ratedAs === rateClass) listedAgain.run(at, at, knownId);
      else listedAgainRated.run(at, at, ratedAs, knownId);
    },
    /** Records that a fetch returned the record unchanged. */
    fetchedAgain: (knownId: number, at: string, rated: FetchedAgain): void => {
      found = null;
      fetchedAgain.run({ ...rated, knownId, at });
    },
    missingInRun: (runId: number): KnownRow[] => missingInRun.all(runId),
    /** Writes the pending counts. Call it in the transaction of the rows. */
    saveCounts: (): void => {
      totals.save();
      names.save();
    },
    indexNames: names.indexNames,
    countWords: names.countWords,
    keepOnlyWords: names.keepOnlyWords,
    isFrequentWord: names.isFrequentWord,
  };
}

type FetchedAgain = Pick<Known, 'changes' | 'changingDays' | 'changingLog' | 'steadyDays' | 'rateClass'>;

const KEYS = Object.keys(COLUMNS) as (keyof Known)[];
const MUTABLE = KEYS.filter((key) => key !== 'entityId' && key !== 'firstSeenAt');
