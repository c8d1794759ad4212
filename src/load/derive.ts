import { targetOf } from '../call.ts';
import { type LoadResult, noChange } from '../load_result.ts';
import type { Outcome, Verdict } from '../outcome.ts';
import { deriveAbsent, deriveGone, noteAnswered } from './deletion.ts';
import { noteFailure } from './failure.ts';
import type { LoadSession } from './load_session.ts';
import { deriveRecord } from './record.ts';
import { deriveRefusal, deriveSearch } from './search.ts';
import { deriveStats } from './stats.ts';

/**
 * Writes what a classified answer means to the derived tables: as it comes in, or again from the stored
 * answer. What cannot be derived at all is quarantined.
 */
export function derive(session: LoadSession, outcome: Outcome): LoadResult {
  session.schema.at = outcome;
  const result = deriveUnlessTooDeep(session, outcome);
  if (result.quarantined === 0 && isUnderstood(outcome.verdict))
    session.quarantine.supersede(outcome.call.kind, targetOf(outcome.call));
  return { ...result, failure: noteFailure(session, outcome, verdictAfter(outcome.verdict, result)) };
}

/** A response of which nothing could be loaded is a failure: its target waits. */
function verdictAfter(verdict: Verdict, { quarantined, rows, record, note }: LoadResult): Verdict {
  const isInVain = verdict.is === 'ok' && quarantined > 0 && rows.length === 0 && record === null;
  return isInVain ? { is: 'broken', why: note ?? 'nothing of the response could be loaded' } : verdict;
}

function deriveUnlessTooDeep(session: LoadSession, outcome: Outcome): LoadResult {
  try {
    return deriveVerdict(session, outcome);
  } catch (error) {
    // The stack ends before JSON's own limits do; nothing was written then.
    if (error instanceof RangeError && error.message.includes('call stack'))
      return quarantined(session, outcome, `nested too deeply: ${error.message}`);
    throw error;
  }
}

function deriveVerdict(session: LoadSession, outcome: Outcome): LoadResult {
  const { call, verdict } = outcome;
  if (call.kind === 'entity' && session.forgotten.has(call.entityId))
    return { ...noChange(outcome), note: 'forgotten: not taken in' };
  switch (verdict.is) {
    case 'ok':
      return deriveAnswer(session, outcome, verdict.answer);
    case 'gone':
      return call.kind === 'entity'
        ? deriveGone(session, outcome, call.entityId, verdict.answer)
        : { ...noChange(outcome), note: 'only a record can be gone' };
    case 'absent':
      return call.kind === 'entity'
        ? deriveAbsent(session, outcome, call.entityId, verdict.shape)
        : noChange(outcome);
    case 'refused':
      return {
        ...noChange(outcome),
        query: call.kind === 'search' ? deriveRefusal(session, outcome, call, verdict.why) : null,
        note: verdict.why,
      };
    case 'broken':
      return isWorthKeeping(outcome)
        ? quarantined(session, outcome, verdict.why)
        : { ...noChange(outcome), note: verdict.why };
    case 'throttled':
    case 'exhausted':
    case 'unauthorised':
    case 'unsent':
      return { ...noChange(outcome), note: verdict.why };
  }
}

function deriveAnswer(
  session: LoadSession,
  outcome: Outcome,
  answer: (Verdict & { is: 'ok' })['answer'],
): LoadResult {
  const { call } = outcome;
  if (answer.kind === 'stats') return deriveStats(session, outcome, answer);
  if (answer.kind === 'search' && call.kind === 'search') return deriveSearch(session, outcome, call, answer);
  if (answer.kind !== 'record' || call.kind !== 'entity')
    return quarantined(session, outcome, `a ${call.kind} call was answered with a ${answer.kind}`);
  const effect = deriveRecord(session, outcome, answer);
  return effect.newCompanies > 0 ? effect : { ...effect, goneCount: noteAnswered(session, outcome) };
}

/** A body that came, of a status that is no plain failure of the server, may hold something. */
function isWorthKeeping({ status, body }: Outcome): boolean {
  return body !== null && body.length > 0 && status !== null && status < 500;
}

/** Adds the response as a whole to quarantine. */
function quarantined(session: LoadSession, outcome: Outcome, reason: string): LoadResult {
  const { call, callId, sentAt } = outcome;
  session.quarantine.add({
    callId,
    kind: call.kind,
    target: targetOf(call),
    position: null,
    reason,
    at: sentAt,
  });
  return { ...noChange(outcome), quarantined: 1, note: reason };
}

function isUnderstood(verdict: Verdict): boolean {
  return verdict.is === 'ok' || verdict.is === 'gone' || verdict.is === 'absent';
}
