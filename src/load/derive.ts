import { targetOf } from '../call.ts';
import type { Verdict } from '../outcome.ts';
import type { Books } from './books.ts';
import { type Answered, type Effect, NO_EFFECT } from './effect.ts';
import { deriveAbsent, deriveGone, noteAnswered } from './gone.ts';
import { deriveRecord } from './record.ts';
import { deriveRefusal, deriveSearch } from './search.ts';
import { deriveStats } from './stats.ts';

/**
 * Writes what a classified answer means to the derived tables: as it comes in, or again from the stored
 * answer. What cannot be derived at all is quarantined.
 */
export function derive(books: Books, answered: Answered, verdict: Verdict): Effect {
  books.shape.at = answered;
  const effect = deriveUnlessTooDeep(books, answered, verdict);
  if (effect.quarantined === 0 && isUnderstood(verdict))
    books.quarantine.supersede(answered.call.kind, targetOf(answered.call));
  return effect;
}

function deriveUnlessTooDeep(books: Books, answered: Answered, verdict: Verdict): Effect {
  try {
    return deriveVerdict(books, answered, verdict);
  } catch (error) {
    // The stack ends before JSON's own limits do; nothing was written then.
    if (error instanceof RangeError && error.message.includes('call stack'))
      return quarantined(books, answered, `nested too deeply: ${error.message}`);
    throw error;
  }
}

function deriveVerdict(books: Books, answered: Answered, verdict: Verdict): Effect {
  const { call } = answered;
  if (call.kind === 'entity' && books.forgotten.has(call.entityId))
    return { ...NO_EFFECT, note: 'forgotten: not taken in' };
  switch (verdict.is) {
    case 'ok':
      return deriveAnswer(books, answered, verdict.answer);
    case 'gone':
      return call.kind === 'entity'
        ? deriveGone(books, answered, call.entityId, verdict.answer)
        : { ...NO_EFFECT, note: 'only a record can be gone' };
    case 'absent':
      return call.kind === 'entity' ? deriveAbsent(books, answered, call.entityId, verdict.shape) : NO_EFFECT;
    case 'refused':
      return {
        ...NO_EFFECT,
        query: call.kind === 'search' ? deriveRefusal(books, answered, call, verdict.why) : null,
        note: verdict.why,
      };
    case 'broken':
      return isWorthKeeping(answered)
        ? quarantined(books, answered, verdict.why)
        : { ...NO_EFFECT, note: verdict.why };
    case 'throttled':
    case 'exhausted':
    case 'unauthorised':
    case 'unsent':
      return { ...NO_EFFECT, note: verdict.why };
  }
}

function deriveAnswer(books: Books, answered: Answered, answer: (Verdict & { is: 'ok' })['answer']): Effect {
  const { call } = answered;
  if (answer.kind === 'stats') return deriveStats(books, answered, answer);
  if (answer.kind === 'search' && call.kind === 'search') return deriveSearch(books, answered, call, answer);
  if (answer.kind !== 'record' || call.kind !== 'entity')
    return quarantined(books, answered, `a ${call.kind} call was answered with a ${answer.kind}`);
  const effect = deriveRecord(books, answered, answer);
  return effect.newCompanies > 0 ? effect : { ...effect, goneCount: noteAnswered(books, answered) };
}

/** A body that came, of a status that is no plain failure of the server, may hold something. */
function isWorthKeeping({ status, body }: Answered): boolean {
  return body !== null && body.length > 0 && status !== null && status < 500;
}

function quarantined(books: Books, { call, callId, sentAt }: Answered, reason: string): Effect {
  books.quarantine.add({
    callId,
    kind: call.kind,
    target: targetOf(call),
    position: null,
    reason,
    at: sentAt,
  });
  return { ...NO_EFFECT, quarantined: 1, note: reason };
}

function isUnderstood(verdict: Verdict): boolean {
  return verdict.is === 'ok' || verdict.is === 'gone' || verdict.is === 'absent';
}
