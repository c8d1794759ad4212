import { type LoadResult, noChange } from '../load_result.ts';
import type { Outcome, StatsAnswer } from '../outcome.ts';
import type { Books } from './books.ts';
import { writeRows } from './rows.ts';
import { isSameAnswer } from './same_answer.ts';
import { shred } from './shred.ts';

/** An observation of the registry's own statistics: always a row of its own. */
export function deriveStats(books: Books, outcome: Outcome, answer: StatsAnswer): LoadResult {
  const { callId, sentAt } = outcome;
  const before = books.latestStatsCall();
  const { rows } = shred(books.shape, books.tables.registry_stats, answer.document);
  books.alter();
  // Its key is the time, where the other tables have the entity's id.
  writeRows(books, { entityId: sentAt, callId, rows, own: [answer.total, callId], isNew: true });
  const sameAs = before !== null && isSameAnswer(books, outcome, before) ? before : null;
  return { ...noChange(outcome), sameAs };
}
