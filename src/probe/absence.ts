import type { ResponseRule } from '../dialect/dialect.ts';
import { valueAt } from '../json/pointer.ts';
import { type Exchange, type Finding, likely, open, softError, sure } from './evidence.ts';

/** What an id that does not exist is answered with, and the rule that says so where the status does not. */
export function findAbsence(answer: Exchange | null): Finding<ResponseRule | null> {
  if (answer === null) return open(null, 'not asked');
  if (answer.reading === 'absent') return sure(null, `an unknown id is answered with HTTP ${answer.status}`);
  const soft = softError(answer.json);
  if (soft !== null && answer.status !== null) {
    const rule: ResponseRule = { kind: 'entity', status: answer.status, at: topOf(soft.at), means: 'absent' };
    return likely(
      rule,
      `an unknown id is answered with HTTP ${answer.status} and ${JSON.stringify(soft.text)}`,
    );
  }
  if (answer.reading === 'refused' && answer.status !== null)
    return open(
      null,
      `an id that should not exist is refused with HTTP ${answer.status}: it may be of a wrong form`,
    );
  return open(null, 'the id that should not exist has an answer');
}

/** An id of the form of the known ones that no company should have. */
export function unlikelyId(ids: readonly string[]): string | null {
  const known = new Set(ids);
  const [pattern] = [...ids].sort((a, b) => a.length - b.length);
  if (pattern === undefined) return null;
  const candidates = ['9', '7', '3'].map((digit) => pattern.replace(/\d/g, digit));
  const ofDigits = candidates.find((id) => id !== pattern && !known.has(id));
  return ofDigits ?? `${pattern}-zzzz`;
}

/** The rule for an error under a good status: its key must not stand in good answers too. */
export function softRule(refusals: readonly Exchange[], answered: readonly Exchange[]): ResponseRule | null {
  for (const { json, status, request } of refusals) {
    const soft = softError(json);
    if (soft === null || status === null || status >= 400) continue;
    const at = topOf(soft.at);
    const isInGoodAnswers = answered.some((good) => valueAt(good.json, at) !== undefined);
    return isInGoodAnswers
      ? { kind: request.kind, status, at: soft.at, is: soft.text, means: 'refused' }
      : { kind: request.kind, status, at, means: 'refused' };
  }
  return null;
}

function topOf(pointer: string): string {
  return `/${pointer.split('/')[1] ?? ''}`;
}
