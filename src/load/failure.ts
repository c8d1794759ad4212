import { targetOf } from '../call.ts';
import { isoTime } from '../clock.ts';
import type { Failure } from '../knowledge.ts';
import type { Outcome, Verdict } from '../outcome.ts';
import type { LoadSession } from './load_session.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * A target's backoff after each consecutive failure, in milliseconds. A run waits for the first three retries. If a
 * fifth of all calls fail, only one target in 625 (0.2^4) still fails after these retries. In longer outages, the
 * backoff increases to hours and then days.
 */
const BACKOFF_MS = [
  2 * SECOND,
  10 * SECOND,
  45 * SECOND,
  15 * MINUTE,
  HOUR,
  6 * HOUR,
  DAY,
  2 * DAY,
  4 * DAY,
  7 * DAY,
];

/**
 * Sets a target's backoff after a failure and clears it after a success. A rejected request does not count as a
 * failure.
 */
export function noteFailure(
  session: LoadSession,
  { call, callId, sentAt, status }: Outcome,
  verdict: Verdict,
): Failure | null {
  if (call.kind === 'entity' && session.forgotten.has(call.entityId)) return null;
  const target = { kind: call.kind, target: targetOf(call) };
  switch (verdict.is) {
    case 'throttled':
    case 'exhausted':
    case 'unauthorised':
      return null;
    case 'ok':
    case 'absent':
    case 'gone':
      session.failures.clear(target.kind, target.target);
      return null;
    case 'refused':
    case 'broken':
    case 'unsent': {
      const tries = session.failures.tries(target.kind, target.target) + 1;
      // If searches succeed, the base URL is right, so the upstream has no statistics.
      const hasNoStatistics = call.kind === 'stats' && status === 404 && session.largestPage > 0;
      const isLasting =
        hasNoStatistics ||
        verdict.is === 'refused' ||
        (verdict.is === 'broken' && verdict.isLasting === true);
      const failure = (isLasting ? refusalAfter : failureAfter)(
        { ...target, why: verdict.why },
        tries,
        Date.parse(sentAt),
      );
      const nextTryAt = isoTime(failure.nextTryAtMs);
      session.failures.set({ ...target, tries, failedAt: sentAt, nextTryAt, why: verdict.why, callId });
      return failure;
    }
  }
}

/** Returns a target's state after `tries` consecutive failures. */
export function failureAfter(
  target: Pick<Failure, 'kind' | 'target' | 'why'>,
  tries: number,
  failedAtMs: number,
): Failure {
  const backoffMs = BACKOFF_MS[Math.min(tries, BACKOFF_MS.length) - 1] ?? SECOND;
  return { ...target, tries, nextTryAtMs: failedAtMs + backoffMs };
}

/** Returns a target's state if a retry would probably fail too. The target gets the longest backoff. */
export function refusalAfter(
  target: Pick<Failure, 'kind' | 'target' | 'why'>,
  tries: number,
  failedAtMs: number,
): Failure {
  return failureAfter(target, Math.max(tries, BACKOFF_MS.length), failedAtMs);
}
