import type { Database } from 'better-sqlite3';
import type { Known, KnownRow } from './known_row.ts';
import { type NameIndex, nameIndex } from './name_index.ts';
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
  missingCall: 'missing_call',
  goneAt: 'gone_at',
  summaryHash: 'summary_hash',
  recordCallId: 'record_call_id',
  changes: 'changes',
  changingDays: 'changing_days',
  changingLog: 'changing_log',
  steadyDays: 'steady_days',
  rateClass: 'rate_class',
  recordAdded: 'record_added',
  recordVersion: 'record_version',
  recordTouched: 'record_touched',
  summaryAdded: 'summary_added',
  summaryVersion: 'summary_version',
  summaryTouched: 'summary_touched',
} as const satisfies Record<keyof Known, string>;

/** Reads and writes `_known`, and updates its full-text index and counts. */
export function knownTable(db: Database, names: NameIndex = nameIndex(db)) {
  const totals = tallyTable(db);
  const selected = `known_id AS knownId, ${KEYS.map((key) => `${COLUMNS[key]} AS ${key}`).join(', ')}`;
  const find = db.prepare<[string], KnownRow>(`SELECT ${selected} FROM _known WHERE entity_id = ?`);
  const insert = db.prepare<unknown[]>(
    `INSERT INTO _known (${KEYS.map((key) => COLUMNS[key]).join(', ')}) VALUES (${KEYS.map(() => '?').join(', ')})`,
  );
  const update = db.prepare<unknown[]>(
    `UPDATE _known SET ${MUTABLE.map((key) => `${COLUMNS[key]} = ?`).join(', ')} WHERE known_id = ?`,
  );
  const listedAgain = db.prepare<[ListedAgain & { knownId: number }]>(
    `UPDATE _known SET last_seen_at = @at, listed_at = @at, summary_touched = @version WHERE known_id = @knownId`,
  );
  const listedAgainRated = db.prepare<[ListedAgain & { knownId: number }]>(
    `UPDATE _known SET last_seen_at = @at, listed_at = @at, summary_touched = @version, rate_class = @rateClass
     WHERE known_id = @knownId`,
  );
  const fetchedAgain = db.prepare<[FetchedAgain & { knownId: number }]>(
    `UPDATE _known SET last_seen_at = @at, asked_at = @at, fetched_at = @at, record_touched = @version,
       changes = @changes, changing_days = @changingDays, changing_log = @changingLog, steady_days = @steadyDays, rate_class = @rateClass
     WHERE known_id = @knownId`,
  );
  const remove = db.prepare<[number]>('DELETE FROM _known WHERE known_id = ?');
  const missingInRun = db.prepare<[number], KnownRow>(
    `SELECT ${selected} FROM _known WHERE missing_run = ? AND missing_at IS NOT NULL`,
  );
  // The last company found is cached, because processing one response looks it up several times.
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
    /** Removes the company from the table, the indexes and the counts. */
    remove: (known: KnownRow): void => {
      found = null;
      names.remove(known);
      totals.count(known, -1);
      remove.run(known.knownId);
    },
    /** Records that a search returned an unchanged summary of the company. */
    listedAgain: ({ knownId, rateClass }: KnownRow, listed: ListedAgain): void => {
      found = null;
      const update = listed.rateClass === rateClass ? listedAgain : listedAgainRated;
      update.run({ ...listed, knownId });
    },
    /** Records that a fetch returned an unchanged record. */
    fetchedAgain: (knownId: number, fetched: FetchedAgain): void => {
      found = null;
      fetchedAgain.run({ ...fetched, knownId });
    },
    missingInRun: (runId: number): KnownRow[] => missingInRun.all(runId),
    /** Writes the pending counts. Call this function in the transaction that writes the rows. */
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

/** When a listing or fetch found no change, and its version in the change feed. */
export interface SeenAgain {
  readonly at: string;
  readonly version: number | null;
}

type ListedAgain = SeenAgain & Pick<Known, 'rateClass'>;
type FetchedAgain = SeenAgain &
  Pick<Known, 'changes' | 'changingDays' | 'changingLog' | 'steadyDays' | 'rateClass'>;

const KEYS = Object.keys(COLUMNS) as (keyof Known)[];
const MUTABLE = KEYS.filter((key) => key !== 'entityId');
