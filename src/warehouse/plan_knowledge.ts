import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import type { Knowledge } from '../knowledge.ts';
import { readEstimates } from './change_estimate.ts';
import { failuresAfter } from './failure.ts';
import { metaTable } from './meta.ts';
import { openTextsInOrder, openWordsInOrder } from './ordered_text_lookups.ts';
import { queryState, queryTable } from './query.ts';
import { DUE_LOOKUPS, openRateClasses, openRecordsDue, openRecordsOlderThan } from './records_due.ts';
import type { Warehouse } from './warehouse.ts';

/**
 * The lookups that every plan needs. Each lookup has its own index, so it is equally fast however many companies there
 * are.
 */
export const LOOKUPS = {
  ...DUE_LOOKUPS,
  missing: 'SELECT 1 FROM _company WHERE missing_at IS NOT NULL LIMIT 1',
  statsCalls: "SELECT count(*) FROM _call WHERE kind = 'stats' AND outcome <> 'unsent'",
} as const;

/**
 * This query runs once, when a plan is opened. The planner reads its rows from the latest call backwards, and stops
 * when it has enough.
 */
const SEARCHES_SINCE = `
  SELECT new FROM _call INDEXED BY _call_of_search
  WHERE kind = 'search' AND call_id > ? AND outcome IN ('ok', 'refused') AND reason NOT LIKE 'summaries are due%'
  ORDER BY call_id DESC`;
const COUNTS = 'SELECT _call_id AS callId, total FROM registry_stats ORDER BY _call_id DESC';

/** Opens the planner's lookups, each of which reads an index. */
export function openKnowledge({ db }: Warehouse): Knowledge {
  const meta = metaTable(db);
  const queries = queryTable(db);
  const untilWritten = openMemory(db);
  const knownCount = db.prepare<[], number>("SELECT n FROM _tally WHERE what = 'known'").pluck();
  const latestStats = db.prepare<[], { observed_at: string; total: number | null }>(
    'SELECT observed_at, total FROM registry_stats ORDER BY _call_id DESC LIMIT 1',
  );
  const countAt = db
    .prepare<[string], number>(
      'SELECT total FROM registry_stats WHERE observed_at <= ? AND total IS NOT NULL ORDER BY _call_id DESC LIMIT 1',
    )
    .pluck();
  const statsCalls = db.prepare<[], number>(LOOKUPS.statsCalls).pluck();
  const searches = db.prepare<[number], number>(SEARCHES_SINCE).pluck();
  const counts = db.prepare<[], { callId: number; total: number | null }>(COUNTS);
  const companies = db.prepare<[], { entityId: string; name: string | null }>(
    'SELECT entity_id AS entityId, name FROM _company',
  );
  const missing = db.prepare(LOOKUPS.missing);
  const recordsDue = openRecordsDue(db);
  const changeEstimates = readEstimates(db);
  const rateClasses = openRateClasses(db);
  return {
    knownCount: untilWritten(() => knownCount.get() ?? 0),
    latestStats: untilWritten(() => {
      const row = latestStats.get();
      return row === undefined ? null : { observedAtMs: Date.parse(row.observed_at), total: row.total };
    }),
    registryCountAt: (atMs) => countAt.get(isoTime(atMs)) ?? null,
    statsCallsMade: () => statsCalls.get() ?? 0,
    newBySearches: () => searches.iterate(countedSoSince(counts.iterate())),
    queries: function* () {
      for (const row of queries.all()) yield queryState(row);
    },
    knownCompanies: () => companies.iterate(),
    textsInOrder: (by) => openTextsInOrder(db, by),
    wordsInOrder: (companies) => openWordsInOrder(db, companies),
    recordsDue,
    changeEstimates,
    rateClasses,
    recordsOlderThan: openRecordsOlderThan(db),
    failures: () => failuresAfter(db, 0),
    controlNeeded: () => meta.get('absent_shape') === null && missing.get() !== undefined,
  };
}

/**
 * Caches a value until this connection writes. The planner needs these values for each call, but they change only when
 * a response is loaded. No other process changes them, because the run holds the lock.
 */
function openMemory(db: Database): <T>(read: () => T) => () => T {
  // This statement needs no transaction. Locking for a transaction accounts for most of a lookup's cost.
  const written = db.prepare<[], number>('SELECT total_changes()').pluck();
  return (read) => {
    let latest: { readonly at: number | undefined; readonly value: ReturnType<typeof read> } | null = null;
    return () => {
      const at = written.get();
      if (latest?.at !== at) latest = { at, value: read() };
      return (latest as { value: ReturnType<typeof read> }).value;
    };
  };
}

/**
 * Returns the id of the first call that returned the current registry count. Returns 0 if no count has been observed.
 */
function countedSoSince(
  counts: Iterable<{ readonly callId: number; readonly total: number | null }>,
): number {
  let since = 0;
  let latest: number | null | undefined;
  for (const { callId, total } of counts) {
    if (latest !== undefined && total !== latest) break;
    latest = total;
    since = callId;
  }
  return since;
}
