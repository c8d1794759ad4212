import { FIRST_PAGE, queryKey, type SearchQuery } from '../call.ts';
import { NotUnderstood } from '../dialect/body_values.ts';
import { decode } from '../dialect/decode.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { readBody } from '../dialect/response_body.ts';
import type { BackfillKnowledge } from '../knowledge.ts';
import { answerTable, type StoredAnswer } from './answer.ts';
import type { BackfillRow } from './backfill.ts';
import { failuresSince, freshnessSince } from './backfill_progress.ts';
import { openKnowledge } from './plan_knowledge.ts';
import { queryState, queryTable } from './query.ts';
import type { Warehouse } from './warehouse.ts';

/** Opens the lookups for planning a backfill. Listings older than `summariesMaxAgeMs` are ignored. */
export function openBackfillKnowledge(
  warehouse: Warehouse,
  dialect: Dialect,
  backfill: BackfillRow,
  summariesMaxAgeMs: number,
): BackfillKnowledge {
  const { db } = warehouse;
  const knowledge = openKnowledge(warehouse);
  const queries = queryTable(db);
  const answers = answerTable(db);
  const { createdAt, freshAfter, afterCallId } = backfill;
  const countsFromMs = Math.max(Date.parse(createdAt) - summariesMaxAgeMs, Date.parse(freshAfter));
  return {
    ...knowledge,
    failures: () => failuresSince(db, afterCallId),
    isFresh: freshnessSince(db, backfill),
    freshQueries: function* () {
      for (const row of queries.all()) if (Date.parse(row.listedAt) >= countsFromMs) yield queryState(row);
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

function rowsIn(dialect: Dialect, query: SearchQuery, { body, headers }: StoredAnswer) {
  const { json } = readBody(body, headers['content-type'] ?? '');
  if (json === undefined) return [];
  const call = { kind: 'search', query, page: FIRST_PAGE, reason: '', expected: 0 } as const;
  const answer = decode(dialect, call, json, headers);
  return answer instanceof NotUnderstood || answer.kind !== 'search' ? [] : answer.rows;
}
