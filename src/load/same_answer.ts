import { readBody } from '../dialect/response_body.ts';
import { segmentsOf } from '../json/pointer.ts';
import type { Outcome } from '../outcome.ts';
import { isSame, type Volatile, withoutVolatile } from './content.ts';
import type { LoadSession } from './load_session.ts';

/**
 * Does this answer differ from a stored one in nothing but volatile fields, envelope included? Then a
 * reference is stored and nothing is lost.
 */
export function isSameAnswer(
  session: LoadSession,
  { call, body, headers = {} }: Outcome,
  storedCallId: number,
): boolean {
  if (body === null || !session.storesAnswers) return false;
  const stored = session.answers.read(storedCallId);
  if (stored === null) return false;
  if (stored.body.equals(body)) return true;
  const ignored = volatileInBody(session, call.kind);
  if (ignored.length === 0) return false;
  const before = readBody(stored.body, stored.headers['content-type'] ?? '').json;
  const now = readBody(body, headers['content-type'] ?? '').json;
  if (before === undefined || now === undefined) return false;
  return isSame(withoutVolatile(before, ignored), withoutVolatile(now, ignored));
}

/** Volatile places count from the record or summary, and from the top of the body. */
function volatileInBody({ dialect, ignored }: LoadSession, kind: Outcome['call']['kind']): Volatile {
  if (kind === 'stats') return ignored;
  const { search, entity } = dialect;
  const prefix =
    kind === 'entity'
      ? segmentsOf(entity.root)
      : [...segmentsOf(search.results), '*', ...segmentsOf(search.item)];
  return [...ignored, ...ignored.map((keys) => [...prefix, ...keys])];
}
