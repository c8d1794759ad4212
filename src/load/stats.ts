import { type LoadResult, noChange } from '../load_result.ts';
import type { Outcome, StatsAnswer } from '../outcome.ts';
import { writeRows } from './entity_rows.ts';
import type { LoadSession } from './load_session.ts';
import { isSameAnswer } from './same_answer.ts';
import { shred } from './shred.ts';

/** An observation of the registry's own statistics: always a row of its own. */
export function deriveStats(session: LoadSession, outcome: Outcome, answer: StatsAnswer): LoadResult {
  const { callId, sentAt } = outcome;
  const before = session.latestStatsCall();
  const { rows } = shred(session.schema, session.tables.registry_stats, answer.document);
  session.alter();
  // Its key is the time, where the other tables have the entity's id.
  writeRows(session, { entityId: sentAt, callId, rows, own: [answer.total, callId], isNew: true });
  const sameAs = before !== null && isSameAnswer(session, outcome, before) ? before : null;
  return { ...noChange(outcome), sameAs };
}
