import { type LoadResult, noChange } from '../load_result.ts';
import type { Outcome, StatsAnswer } from '../outcome.ts';
import { latestStatistics } from '../warehouse/coverage_counts.ts';
import { writeRows } from './entity_rows.ts';
import type { LoadSession } from './load_session.ts';
import { shred } from './shred.ts';
import { isSameResponse } from './stored_response.ts';

/** Loads the registry statistics. Each observation adds a row. */
export function deriveStats(session: LoadSession, outcome: Outcome, answer: StatsAnswer): LoadResult {
  const { callId, sentAt } = outcome;
  const before = latestStatistics(session.db)?.callId ?? null;
  const { rows } = shred(session.schema, session.tables.registry_stats, answer.document);
  // In this table, the key is the observation time, not an entity id.
  writeRows(session, { entityId: sentAt, callId, rows, own: [answer.total, callId], isNew: true });
  session.feed.observed(callId);
  const sameAs = before !== null && isSameResponse(session, outcome, before) ? before : null;
  return { ...noChange(outcome), sameAs };
}
