import { callOfTarget } from '../call.ts';
import type { Classify } from '../dialect/classify.ts';
import type { Attempt, Outcome, Verdict } from '../outcome.ts';
import type { StoredCall } from '../warehouse/call.ts';
import type { Books } from './books.ts';

/** An attempt as it was stored. The cursor of a later page is not stored: only sending it needs one. */
export function storedAttempt(books: Books, row: StoredCall): Attempt {
  const stored = books.answers.read(row.callId);
  return {
    callId: row.callId,
    call: callOfTarget(row, row),
    sentAt: row.sentAt,
    durationMs: row.ms,
    status: row.status,
    body: stored?.body ?? null,
    headers: stored?.headers ?? {},
    failure: row.note ?? row.outcome,
  };
}

/** What a stored attempt means by today's dialect. */
export function outcomeOfStored(books: Books, classify: Classify, row: StoredCall): Outcome {
  const attempt = storedAttempt(books, row);
  return { ...attempt, verdict: verdictOf(attempt, row, classify) };
}

function verdictOf(attempt: Attempt, row: StoredCall, classify: Classify): Verdict {
  const { call, sentAt, status, headers = {}, body, failure = row.outcome } = attempt;
  if (body !== null && status !== null)
    return classify(call, { status, headers, body }, { nowMs: Date.parse(sentAt), keyHasWorked: true });
  return row.outcome === 'unsent' ? { is: 'unsent', why: failure } : { is: 'broken', why: failure };
}

/** What one run proved about its upstream proves nothing about the upstream of another run. */
export function enterRun(books: Books, runId: number): void {
  if (books.runId === runId) return;
  books.runId = runId;
  books.answeredAt = null;
  books.mayHaveMissing = true;
}
