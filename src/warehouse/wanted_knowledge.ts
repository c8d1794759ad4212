import { FIRST_PAGE, queryKey, type SearchQuery } from '../call.ts';
import { isoTime } from '../clock.ts';
import { NotUnderstood } from '../dialect/body_values.ts';
import { decode } from '../dialect/decode.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { readBody } from '../dialect/response_body.ts';
import { HOUR_MS } from '../durations.ts';
import type { BackfillKnowledge } from '../knowledge.ts';
import { values } from '../sqlite/statements.ts';
import { answerTable, type StoredAnswer } from './answer.ts';
import type { NewBackfill } from './backfill.ts';
import { failuresAfter } from './failure.ts';
import { openKnowledge } from './plan_knowledge.ts';
import { Queries, queryState } from './query.ts';
import { GONE_SINCE } from './records_due.ts';
import type { Warehouse } from './warehouse.ts';

/**
 * Opens the lookups for planning a backfill. Failures before its start are ignored, because it retries their targets.
 * Listings older than `summariesMaxAgeMs` are ignored too.
 */
export function openBackfillKnowledge(
  warehouse: Warehouse,
  dialect: Dialect,
  { createdAt, freshAfter, afterCallId }: NewBackfill,
  summariesMaxAgeMs: number,
): BackfillKnowledge {
  const [startedAtMs, fetchedAfterMs] = [Date.parse(createdAt), Date.parse(freshAfter)];
  const listedAfterMs = Math.max(startedAtMs - summariesMaxAgeMs, fetchedAfterMs);
  const knowledge = openWantedKnowledge(warehouse, dialect, { listedAfterMs, fetchedAfterMs, startedAtMs });
  return { ...knowledge, failures: () => failuresAfter(warehouse.db, afterCallId) };
}

/**
 * Opens the lookups for planning a watchlist. A listing older than `summariesMs` is repeated. A record is fetched again
 * if it is older than `recordsMs` or flagged as changed.
 */
export function openWatchKnowledge(
  warehouse: Warehouse,
  dialect: Dialect,
  { nowMs, summariesMs, recordsMs }: { nowMs: number; summariesMs: number; recordsMs: number },
): BackfillKnowledge {
  return openWantedKnowledge(warehouse, dialect, {
    listedAfterMs: nowMs - summariesMs,
    fetchedAfterMs: nowMs - recordsMs,
    startedAtMs: nowMs,
  });
}

/** The times (epoch milliseconds) since which listings and records are recent enough. */
interface RecentSince {
  readonly listedAfterMs: number;
  readonly fetchedAfterMs: number;
  /** A record that was requested since this time is not requested again. */
  readonly startedAtMs: number;
}

function openWantedKnowledge(
  warehouse: Warehouse,
  dialect: Dialect,
  { listedAfterMs, ...since }: RecentSince,
): BackfillKnowledge {
  const { db } = warehouse;
  const queries = new Queries(db);
  const answers = answerTable(db);
  const fresh = db.prepare<[Omit<RecentSince, 'listedAfterMs'> & { entityId: string }]>(
    `SELECT 1 FROM _company WHERE entity_id = @entityId
       AND (asked_at >= @startedAtMs OR (flagged_at IS NULL AND @fetchedAfterMs < @startedAtMs
         AND iif(gone_at IS NULL, fetched_at, ${GONE_SINCE}) >= @fetchedAfterMs))
     UNION ALL SELECT 1 FROM _forgotten WHERE entity_id = @entityId AND undone_at IS NULL`,
  );
  return {
    ...openKnowledge(warehouse),
    isFresh: (entityId) => fresh.get({ entityId, ...since }) !== undefined,
    freshQueries: function* () {
      const doubted = new Set(
        values<string>(db, DOUBTED_SEARCHES, {
          after: isoTime(Math.max(0, listedAfterMs)),
          before: isoTime(since.startedAtMs - DOUBTED_MS),
        }),
      );
      for (const row of queries.all())
        if (Date.parse(row.listedAt) >= listedAfterMs && !doubted.has(row.key)) yield queryState(row);
    },
    listed: (query) => {
      const row = queries.find(queryKey(query));
      if (row === undefined) return [];
      return queries.listing(row.key, row.firstCall).flatMap(({ callId }) => {
        const stored = answers.read(callId);
        return stored === null ? [] : rowsIn(dialect, query, stored);
      });
    },
  };
}

/**
 * The queries that were sent once and found nothing, when no other search near them in the same run found a company
 * either. The upstream may have been under maintenance, so they are sent once more.
 */
const DOUBTED_SEARCHES = `SELECT target FROM (
  SELECT target, sent_at, count(*) OVER (PARTITION BY target) AS times, sum(rows) OVER near AS found
  FROM _call WHERE kind = 'search' AND outcome = 'ok' AND sent_at >= @after
  WINDOW near AS (PARTITION BY run_id ORDER BY call_id ROWS BETWEEN 5 PRECEDING AND 5 FOLLOWING))
  WHERE found = 0 AND times = 1 AND sent_at < @before`;
/** A maintenance is probably over after this time. */
const DOUBTED_MS = 12 * HOUR_MS;

function rowsIn(dialect: Dialect, query: SearchQuery, { body, headers }: StoredAnswer) {
  const { json } = readBody(body, headers['content-type'] ?? '');
  if (json === undefined) return [];
  const call = { kind: 'search', query, page: FIRST_PAGE, reason: '', expected: 0 } as const;
  const answer = decode(dialect, call, json, headers);
  return answer instanceof NotUnderstood || answer.kind !== 'search' ? [] : answer.rows;
}
