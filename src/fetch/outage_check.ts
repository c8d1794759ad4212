import { targetOf } from '../call.ts';
import type { LoadResult } from '../load_result.ts';
import type { Outcome } from '../outcome.ts';

/**
 * Detects that every call fails, and ends the run before the failures use up the quota. Until then, the wait doubles
 * with each further failure. Only a target's first failure causes a wait, because retries have their own backoff. A few
 * targets that always fail therefore do not delay the others.
 */
export interface OutageCheck {
  /** Returns how long no call may be sent after several consecutive failures; 0 if a call may be sent now. */
  waitMs(nowMs: number): number;
  /** Evaluates one processed batch. Returns why the run must end, or null if it continues. */
  observe(outcomes: readonly Outcome[], results: readonly LoadResult[], nowMs: number): string | null;
  /** Records that no connection could be opened. Returns true if the run must end. */
  unreachable(nowMs: number): boolean;
}

/** `wrongAddressLimit` is how many targets must indicate a wrong base URL to end a run in which no call succeeded. */
export function openOutageCheck(startedMs: number, wrongAddressLimit: number): OutageCheck {
  let failuresInARow = 0;
  let newFailuresInARow = 0;
  let lastGoodMs = startedMs;
  let hasSucceeded = false;
  let resumesAtMs = 0;
  const misdirected: Outcome[] = [];
  let throttlesInARow = 0;
  let lastThrottledCall = 0;

  /** Counts a failure. Returns true if the run must end. */
  function countFailure(isNewTarget: boolean, nowMs: number): boolean {
    failuresInARow += 1;
    if (isNewTarget) newFailuresInARow += 1;
    const doublings = newFailuresInARow - FAILURES_BEFORE_WAITING;
    if (doublings >= 0) resumesAtMs = nowMs + Math.min(FIRST_WAIT_MS * 2 ** doublings, LONGEST_WAIT_MS);
    if (!hasSucceeded) return failuresInARow >= FAILURES_AT_START;
    // Once everything else is done, a few targets being retried do not indicate an outage, however long that takes.
    const isLong = newFailuresInARow >= FAILURES_AT_START && nowMs - lastGoodMs >= LONGEST_OUTAGE_MS;
    const isDown = newFailuresInARow >= FAILURES_IN_A_ROW || isLong;
    return failuresInARow >= FAILURES_IN_A_ROW && isDown;
  }

  /** Returns the fault if every call fails. */
  function outageFault(results: readonly LoadResult[], nowMs: number): string | null {
    for (const { call, verdict, failure } of results) {
      if (verdict === 'throttled') continue;
      if (failure === null || verdict === 'refused') {
        [failuresInARow, newFailuresInARow, lastGoodMs, hasSucceeded] = [0, 0, nowMs, true];
        resumesAtMs = 0;
      } else if (countFailure(failure.tries === 1, nowMs))
        return `${failuresInARow} calls in a row failed; the last one was for ${call.kind} ${targetOf(call)}: ${failure.why}`;
    }
    return null;
  }

  /** Returns the fault if the upstream throttles every call, although the run waits as long as it asks. */
  function throttleFault(outcomes: readonly Outcome[]): string | null {
    for (const { callId, sentAfter = callId - 1, verdict } of outcomes) {
      if (verdict.is !== 'throttled') throttlesInARow = 0;
      // Calls that were in flight at the same time are throttled together, so they count as one throttled call.
      else if (sentAfter >= lastThrottledCall) {
        throttlesInARow += 1;
        lastThrottledCall = callId;
        if (throttlesInARow >= THROTTLES_IN_A_ROW)
          return `the upstream rejected ${throttlesInARow} calls in a row, although each waited as long as requested: ${verdict.why}`;
      }
    }
    return null;
  }

  /** Returns the fault if the base URL is probably wrong. */
  function addressFault(outcomes: readonly Outcome[]): string | null {
    misdirected.push(...outcomes.filter(({ verdict }) => verdict.is === 'broken' && verdict.isWrongAddress));
    const last = misdirected.at(-1)?.verdict;
    if (hasSucceeded || last?.is !== 'broken') return null;
    // An API without statistics returns a 404 for them.
    if (misdirected.every(({ call }) => call.kind === 'stats')) return null;
    const targets = new Set(misdirected.map(({ call }) => `${call.kind} ${targetOf(call)}`));
    if (targets.size < wrongAddressLimit && misdirected.length <= wrongAddressLimit) return null;
    const calls = misdirected.length === 1 ? 'the first call' : `the first ${misdirected.length} calls`;
    return `${calls} did not reach the API: ${last.why}`;
  }

  return {
    waitMs: (nowMs) => {
      const waitMs = resumesAtMs - nowMs;
      // The wait is longer only if the clock was set back.
      return waitMs > 0 && waitMs <= LONGEST_WAIT_MS ? waitMs : 0;
    },
    observe: (outcomes, results, nowMs) =>
      outageFault(results, nowMs) ?? throttleFault(outcomes) ?? addressFault(outcomes),
    unreachable: (nowMs) => countFailure(true, nowMs),
  };
}

const FAILURES_BEFORE_WAITING = 3;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;
const FAILURES_AT_START = 6;
const FAILURES_IN_A_ROW = 12;
const THROTTLES_IN_A_ROW = 6;
const LONGEST_OUTAGE_MS = 15_000;
