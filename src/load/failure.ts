import { targetOf } from '../call.ts';
import { isoTime } from '../clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts';
import type { Failure } from '../knowledge.ts';
import type { Outcome, Verdict } from '../outcome.ts';
import { clearFailure, findFailure, setFailure } from '../warehouse/failure.ts';
import type { LoadSession } from './load_session.ts';

/**
 * A target's backoff after each consecutive failure, in milliseconds. A run waits for the first three retries. If a
 * fifth of all calls fail, only one target in 625 (0.2^4) still fails after these retries. In longer outages, the
 * backoff increases to hours and then days.
 */
const BACKOFF_MS = [
  2000,
  10_000,
  45_000,
  15 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  DAY_MS,
  2 * DAY_MS,
  4 * DAY_MS,
  7 * DAY_MS,
];

/** An hour, so that the next run retries. */
const NEXT_RUN_STEP = 5;

/**
 * Sets a target's backoff after a failure and clears it after a success. A rejected request does not count as a
 * failure.
 */
export function noteFailure(session: LoadSession, outcome: Outcome, verdict: Verdict): Failure | null {
  const { call } = outcome;
  if (call.kind === 'entity' && session.forgotten.has(call.entityId)) return null;
  switch (verdict.is) {
    case 'throttled':
    case 'exhausted':
      return null;
    case 'ok':
    case 'absent':
    case 'gone':
      clearFailure(session.db, call.kind, targetOf(call));
      return null;
    case 'unauthorised':
      // The target waits, so that a call for another target shows whether the key is valid.
      return verdict.isUnconfirmed ? countFailure(session, outcome, { ...verdict, isLasting: true }) : null;
    case 'broken':
      return countFailure(session, outcome, verdict);
    case 'refused':
      return countFailure(session, outcome, { why: verdict.why });
  }
}

function countFailure(
  session: LoadSession,
  { call, callId, sentAt, status, verdict: { is } }: Outcome,
  { why, isLasting = false }: { readonly why: string; readonly isLasting?: boolean },
): Failure {
  const target = { kind: call.kind, target: targetOf(call) };
  const before = findFailure(session.db, target.kind, target.target);
  const tries = (before?.tries ?? 0) + 1;
  // An upstream without statistics rejects the path or returns a page. If searches succeed, the base URL is right.
  const areStatsAbsent = call.kind === 'stats' && status !== null && status < 500;
  const isDurable = isLasting || areStatsAbsent;
  const isConfirmed = before?.why === why || (areStatsAbsent && session.largestPage > 0);
  // If a retry would probably fail too, the target gets the longest backoff. A response that was damaged once is
  // requested again by the next run.
  const isCertain = is === 'refused' || (isDurable && isConfirmed);
  const step = Math.max(tries, isCertain ? BACKOFF_MS.length : isDurable ? NEXT_RUN_STEP : 1);
  const backoffMs = BACKOFF_MS[Math.min(step, BACKOFF_MS.length) - 1] ?? 0;
  const nextTryAtMs = Date.parse(sentAt) + backoffMs;
  const nextTryAt = isoTime(nextTryAtMs);
  setFailure(session.db, { ...target, tries, failedAt: sentAt, nextTryAt, why, callId });
  return { ...target, tries, step, nextTryAtMs, why };
}
