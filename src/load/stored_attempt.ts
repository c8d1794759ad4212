import { callOfTarget } from '../call.ts';
import type { Classify } from '../dialect/classify.ts';
import { type Attempt, isIncomplete, isTooLarge, type Outcome, type Verdict } from '../outcome.ts';
import type { StoredCall } from '../warehouse/call.ts';
import type { LoadSession } from './load_session.ts';

/** Reads a stored attempt, without the paging cursor, which only making the call requires. */
export function storedAttempt(session: LoadSession, row: StoredCall): Attempt {
  const stored = session.responses.read(row.callId);
  return {
    callId: row.callId,
    call: callOfTarget(row, row),
    sentAt: row.sentAt,
    sentAfter: row.sentAfter,
    durationMs: row.ms,
    status: row.status,
    body: stored?.body ?? null,
    headers: stored?.headers ?? {},
    failure: row.note ?? row.outcome,
  };
}

/** Classifies a stored attempt with the current dialect. */
export function outcomeOfStored(session: LoadSession, classify: Classify, row: StoredCall): Outcome {
  const attempt = storedAttempt(session, row);
  return { ...attempt, verdict: verdictOf(attempt, row, classify) };
}

function verdictOf(attempt: Attempt, row: StoredCall, classify: Classify): Verdict {
  const { call, sentAt, status, headers = {}, body, failure = row.outcome } = attempt;
  if (isTooLarge(attempt)) return { is: 'broken', why: failure, isLasting: true };
  if (body !== null && status !== null && !isIncomplete(attempt))
    return classify(call, { status, headers, body }, { nowMs: Date.parse(sentAt), keyHasWorked: true });
  return { is: 'broken', why: failure };
}
