import { targetOf } from '../call.ts';
import { type LoadResult, noChange } from '../load_result.ts';
import { isIncomplete, isTooLarge, KEY_IN_BODY, type Outcome, type Verdict, wasSent } from '../outcome.ts';
import { supersedeQuarantined } from '../warehouse/quarantine.ts';
import { deriveAbsent, deriveGone, noteSuccess, removeUnconfirmed } from './deletion.ts';
import { noteFailure } from './failure.ts';
import type { LoadSession } from './load_session.ts';
import { deriveRecord } from './record.ts';
import { deriveRefusal, deriveSearch, deriveUnreadPage } from './search.ts';
import { deriveStats } from './stats.ts';

/**
 * Writes a classified response to the derived tables. The response may have just arrived or been read from the
 * warehouse. If it cannot be processed, it is quarantined.
 */
export function derive(session: LoadSession, outcome: Outcome): LoadResult {
  session.schema.at = outcome;
  const result = deriveUnlessTooDeep(session, outcome);
  if (result.quarantined === 0 && isUnderstood(outcome.verdict))
    supersedeQuarantined(session.db, outcome.call.kind, targetOf(outcome.call));
  const failure = noteFailure(session, outcome, verdictAfter(outcome.verdict, result));
  const { call, verdict } = outcome;
  const isUnreadable = verdict.is === 'broken' && failure !== null && failure.step >= UNREADABLE_STEP;
  if (call.kind !== 'search' || !isUnreadable) return { ...result, failure };
  return { ...result, failure, query: deriveUnreadPage(session, outcome, call) ?? result.query };
}

/** A run waits for the first three retries. */
const UNREADABLE_STEP = 4;

/**
 * Turns the verdict into a failure if no part of the response could be loaded, if it is an empty page before the end of
 * a listing, or if it is empty and so was not accepted as a listing. Its target then gets a backoff.
 */
function verdictAfter(
  verdict: Verdict,
  { call, quarantined, rows, record, query, note }: LoadResult,
): Verdict {
  if (verdict.is !== 'ok' || rows.length > 0 || record !== null) return verdict;
  const isVanished = call.kind === 'search' && query === null;
  const why = note ?? 'no part of the response could be loaded';
  if (isVanished) return { is: 'broken', why, isLasting: true };
  return quarantined > 0 || query?.isContradicted === true ? { is: 'broken', why } : verdict;
}

function deriveUnlessTooDeep(session: LoadSession, outcome: Outcome): LoadResult {
  try {
    return deriveVerdict(session, outcome);
  } catch (error) {
    // The call stack can overflow even if the JSON is within the nesting limit. When it overflows, nothing has been
    // written yet.
    if (error instanceof RangeError && error.message.includes('call stack'))
      return quarantined(session, outcome, `nested too deeply: ${error.message}`);
    throw error;
  }
}

function deriveVerdict(session: LoadSession, outcome: Outcome): LoadResult {
  const { call, verdict } = outcome;
  if (call.kind === 'entity' && session.forgotten.has(call.entityId))
    return { ...noChange(outcome), note: 'the entity is forgotten, so it was not loaded' };
  switch (verdict.is) {
    case 'ok':
      return deriveAnswer(session, outcome, verdict.answer);
    case 'gone':
      return call.kind === 'entity'
        ? deriveGone(session, outcome, verdict.answer)
        : { ...noChange(outcome), note: 'only a record can be gone' };
    case 'absent':
      return call.kind === 'entity'
        ? deriveAbsent(session, outcome, call.entityId, verdict)
        : noChange(outcome);
    case 'refused':
      if (call.kind === 'entity') removeUnconfirmed(session, call.entityId);
      // No request can fetch this record, so a person has to know.
      if (call.kind === 'entity' && !wasSent(outcome)) return quarantined(session, outcome, verdict.why);
      return {
        ...noChange(outcome),
        query: call.kind === 'search' ? deriveRefusal(session, outcome, call, verdict) : null,
        note: verdict.why,
      };
    case 'broken':
      if (call.kind === 'entity' && verdict.isLasting === true) removeUnconfirmed(session, call.entityId);
      return mayHoldContent(outcome)
        ? quarantined(session, outcome, verdict.why)
        : { ...noChange(outcome), note: verdict.why };
    case 'throttled':
    case 'exhausted':
    case 'unauthorised':
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
    return quarantined(session, outcome, `a ${call.kind} call returned a ${answer.kind}`);
  const wasMissing = session.known.find(answer.entityId)?.missingAt != null;
  const result = deriveRecord(session, outcome, answer);
  if (result.newCompanies > 0) return result;
  return { ...result, gone: noteSuccess(session, outcome, { entityId: answer.entityId, wasMissing }) };
}

/**
 * Returns whether the body can contain registry data that no retry will bring. A server error's body never does, and
 * neither does an error in place of the statistics.
 */
function mayHoldContent(outcome: Outcome): boolean {
  const { call, status, body, failure } = outcome;
  if (failure === KEY_IN_BODY) return true;
  if (isIncomplete(outcome) && !isTooLarge(outcome)) return false;
  if (call.kind === 'stats' && status !== null && status >= 400) return false;
  return body !== null && body.length > 0 && status !== null && status < 500;
}

/** Quarantines the whole response. */
function quarantined(session: LoadSession, outcome: Outcome, reason: string): LoadResult {
  const { call, callId, sentAt } = outcome;
  session.quarantine({
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
