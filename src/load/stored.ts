import { callOfTarget } from '../call.ts';
import type { Classify } from '../dialect/classify.ts';
import type { Attempt, Outcome, Verdict } from '../outcome.ts';
import type { StoredCall } from '../warehouse/call.ts';
import type { LoadSession } from './load_session.ts';

/** An attempt as it was stored. The cursor of a later page is not stored: only sending it needs one. */
export function storedAttempt(session: LoadSession, row: StoredCall): Attempt {
  const stored = session.answers.read(row.callId);
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
export function outcomeOfStored(session: LoadSession, classify: Classify, row: StoredCall): Outcome {
  const attempt = storedAttempt(session, row);
  return { ...attempt, verdict: verdictOf(attempt, row, classify) };
}

function verdictOf(attempt: Attempt, row: StoredCall, classify: Classify): Verdict {
  const { call, sentAt, status, headers = {}, body, failure = row.outcome } = attempt;
  if (body !== null && status !== null)
    return classify(call, { status, headers, body }, { nowMs: Date.parse(sentAt), keyHasWorked: true });
  return row.outcome === 'unsent' ? { is: 'unsent', why: failure } : { is: 'broken', why: failure };
}

/** What one run proved about its upstream proves nothing about the upstream of another run. */
export function enterRun(session: LoadSession, runId: number): void {
  if (session.runId === runId) return;
  session.runId = runId;
  session.answeredAt = null;
  session.mayHaveMissing = true;
}
