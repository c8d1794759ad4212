import { callOfTarget, type SearchCall } from '../call.ts';
import { isoTime } from '../clock.ts';
import type { Knowledge, KnownCompany, MadeSearch } from '../knowledge.ts';
import { value } from '../sqlite/statements.ts';
import { readEstimates } from './change_estimate.ts';
import { currentCountSeen, latestStatistics } from './coverage_counts.ts';
import { failuresAfter } from './failure.ts';
import { countForgotten } from './forget.ts';
import { sampleIds } from './known.ts';
import { hasSeveralRows, metaTable } from './meta.ts';
import { openTextsInOrder, openWordsInOrder } from './ordered_text_lookups.ts';
import { Queries, queryState } from './query.ts';
import { countRateClasses, countRecordsOlderThan, DUE_LOOKUPS, openRecordsDue } from './records_due.ts';
import type { Warehouse } from './warehouse.ts';

/**
 * The lookups that every plan needs. Each lookup has its own index, so it is equally fast however many companies there
 * are.
 */
export const LOOKUPS = {
  ...DUE_LOOKUPS,
  leaving:
    'SELECT count(*) FROM _company WHERE gone_at IS NULL AND (missing_at IS NOT NULL OR flagged_at > listed_at)',
  missing: 'SELECT 1 FROM _company WHERE missing_at IS NOT NULL LIMIT 1',
  statsCalls: "SELECT count(*) FROM _call WHERE kind = 'stats'",
} as const;

/**
 * This query runs once, when a plan is opened. The planner reads its rows from the latest call backwards, and stops
 * when it has enough.
 */
const LATEST_SEARCHES = `
  SELECT kind, target, page, reason, expected, new AS found, call_id AS callId,
    coalesce(sent_after, call_id - 1) AS sentAfter, call_id > ? AS isSinceCount
  FROM _call INDEXED BY _call_of_search
  WHERE kind = 'search' AND outcome IN ('ok', 'refused') AND reason NOT LIKE 'summaries are due%'
  ORDER BY call_id DESC`;

interface SearchRow extends Omit<MadeSearch, 'query' | 'isSinceCount'> {
  readonly kind: 'search';
  readonly target: string;
  readonly page: number | null;
  readonly isSinceCount: 0 | 1;
}

const KNOWN = "SELECT n FROM _tally WHERE what = 'known'";
const NOT_GONE = `SELECT sum(CASE what WHEN 'known' THEN n ELSE -n END) FROM _tally WHERE what IN ('known', 'gone')`;
const LISTED_SINCE =
  'SELECT count(*) FROM _company WHERE listed_at >= ? AND gone_at IS NULL AND missing_at IS NULL';
const COUNT_AT =
  'SELECT total FROM registry_stats WHERE observed_at <= ? AND total IS NOT NULL ORDER BY _call_id DESC LIMIT 1';
const FIRST_COUNT = 'SELECT total FROM registry_stats WHERE total IS NOT NULL ORDER BY _call_id LIMIT 1';

/** Opens the planner's lookups, each of which reads an index. */
export function openKnowledge({ db }: Warehouse): Knowledge {
  const meta = metaTable(db);
  const queries = new Queries(db);
  return {
    // A forgotten company is in the registry, but is not searched for.
    knownCount: () => (value<number>(db, KNOWN) ?? 0) + countForgotten(db),
    existingCount: () =>
      (value<number>(db, NOT_GONE) ?? 0) - (value<number>(db, LOOKUPS.leaving) ?? 0) + countForgotten(db),
    listedSince: (atMs) => (value<number>(db, LISTED_SINCE, atMs) ?? 0) + countForgotten(db),
    latestStats: () => {
      const latest = latestStatistics(db);
      return latest === null ? null : { observedAtMs: Date.parse(latest.observedAt), total: latest.total };
    },
    registryCountAt: (atMs) =>
      value<number>(db, COUNT_AT, isoTime(atMs)) ?? value<number>(db, FIRST_COUNT) ?? null,
    statsCallsMade: () => value<number>(db, LOOKUPS.statsCalls) ?? 0,
    hasSeveralRows: () => hasSeveralRows(db),
    latestSearches: function* () {
      const searches = db.prepare<[number], SearchRow>(LATEST_SEARCHES);
      for (const row of searches.iterate(currentCountSeen(db)?.callId ?? 0)) {
        const { found, callId, sentAfter, isSinceCount } = row;
        const call = callOfTarget(row, row) as SearchCall;
        yield { ...call, found, callId, sentAfter, isSinceCount: isSinceCount === 1 };
      }
    },
    queries: function* () {
      for (const row of queries.all()) yield queryState(row);
    },
    knownCompanies: () =>
      db.prepare<[], KnownCompany>('SELECT entity_id AS entityId, name FROM _company').iterate(),
    sampleIds: (most) => sampleIds(db, most),
    textsInOrder: (by) => openTextsInOrder(db, by),
    wordsInOrder: () => openWordsInOrder(db),
    recordsDue: openRecordsDue(db),
    changeEstimates: () => readEstimates(db),
    rateClasses: () => countRateClasses(db),
    recordsOlderThan: (ages, nowMs) => countRecordsOlderThan(db, ages, nowMs),
    failures: () => failuresAfter(db, 0),
    controlNeeded: () => meta.get('absent_shape') === null && value(db, LOOKUPS.missing) !== undefined,
  };
}
