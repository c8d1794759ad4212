import { targetOf } from '../call.ts';
import type { LoadResult } from '../load_result.ts';
import type { Outcome } from '../outcome.ts';

/**
 * Detects that every call fails, and ends the run before the failures use up the quota. Until then, the wait doubles
 * with each further failure. Only a target's first failure causes a wait, because retries have their own backoff. A few
 * targets that always fail therefore do not delay the others.
 */
export class OutageCheck {
  readonly #wrongAddressLimit: number;
  readonly #misdirected: Outcome[] = [];
  #failuresInARow = 0;
  #newFailuresInARow = 0;
  #lastGoodMs: number;
  #hasSucceeded = false;
  #resumesAtMs = 0;

  /** `wrongAddressLimit` is how many targets must indicate a wrong base URL to end a run in which no call succeeded. */
  constructor(startedMs: number, wrongAddressLimit: number) {
    this.#lastGoodMs = startedMs;
    this.#wrongAddressLimit = wrongAddressLimit;
  }

  /** Returns how long no call may be sent after several consecutive failures; 0 if a call may be sent now. */
  waitMs(nowMs: number): number {
    const waitMs = this.#resumesAtMs - nowMs;
    // The wait is longer only if the clock was set back.
    return waitMs > 0 && waitMs <= LONGEST_WAIT_MS ? waitMs : 0;
  }

  /** Evaluates one processed batch. Returns why the run must end, or null if it continues. */
  observe(outcomes: readonly Outcome[], results: readonly LoadResult[], nowMs: number): string | null {
    return this.#outageFault(results, nowMs) ?? throttleFault(outcomes) ?? this.#addressFault(outcomes);
  }

  /** Records that no connection could be opened. Returns true if the run must end. */
  unreachable(nowMs: number): boolean {
    return this.#countFailure(true, nowMs);
  }

  /** Counts a failure. Returns true if the run must end. */
  #countFailure(isNewTarget: boolean, nowMs: number): boolean {
    this.#failuresInARow += 1;
    if (isNewTarget) this.#newFailuresInARow += 1;
    const doublings = this.#newFailuresInARow - FAILURES_BEFORE_WAITING;
    if (doublings >= 0) this.#resumesAtMs = nowMs + Math.min(FIRST_WAIT_MS * 2 ** doublings, LONGEST_WAIT_MS);
    if (!this.#hasSucceeded) return this.#failuresInARow >= FAILURES_AT_START;
    // Once everything else is done, a few targets being retried do not indicate an outage, however long that takes.
    const isLong =
      this.#newFailuresInARow >= FAILURES_AT_START && nowMs - this.#lastGoodMs >= LONGEST_OUTAGE_MS;
    const isDown = this.#newFailuresInARow >= FAILURES_IN_A_ROW || isLong;
    return this.#failuresInARow >= FAILURES_IN_A_ROW && isDown;
  }

  /** Returns the fault if every call fails. */
  #outageFault(results: readonly LoadResult[], nowMs: number): string | null {
    for (const { call, verdict, failure } of results) {
      if (verdict === 'throttled') continue;
      if (failure === null || verdict === 'refused') this.#countSuccess(nowMs);
      else if (this.#countFailure(failure.tries === 1, nowMs))
        return `${this.#failuresInARow} calls in a row failed; the last one was for ${call.kind} ${targetOf(call)}: ${failure.why}`;
    }
    return null;
  }

  #countSuccess(nowMs: number): void {
    this.#failuresInARow = 0;
    this.#newFailuresInARow = 0;
    this.#lastGoodMs = nowMs;
    this.#hasSucceeded = true;
    this.#resumesAtMs = 0;
  }

  /** Returns the fault if the base URL is probably wrong. */
  #addressFault(outcomes: readonly Outcome[]): string | null {
    const misdirected = this.#misdirected;
    misdirected.push(...outcomes.filter(({ verdict }) => verdict.is === 'broken' && verdict.isWrongAddress));
    const last = misdirected.at(-1)?.verdict;
    if (this.#hasSucceeded || last?.is !== 'broken') return null;
    // An API without statistics returns a 404 for them.
    if (misdirected.every(({ call }) => call.kind === 'stats')) return null;
    const targets = new Set(misdirected.map(({ call }) => `${call.kind} ${targetOf(call)}`));
    if (targets.size < this.#wrongAddressLimit && misdirected.length <= this.#wrongAddressLimit) return null;
    const calls = misdirected.length === 1 ? 'the first call' : `the first ${misdirected.length} calls`;
    return `${calls} did not reach the API: ${last.why}`;
  }
}

/** Returns the fault if the upstream throttles every call, although the run waits as long as it asks. */
function throttleFault(outcomes: readonly Outcome[]): string | null {
  for (const { verdict } of outcomes)
    if (verdict.is === 'throttled' && (verdict.inARow ?? 0) >= THROTTLES_IN_A_ROW)
      return `the upstream rejected ${verdict.inARow} calls in a row, although each waited as long as requested: ${verdict.why}`;
  return null;
}

const FAILURES_BEFORE_WAITING = 3;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;
const FAILURES_AT_START = 6;
const FAILURES_IN_A_ROW = 12;
const THROTTLES_IN_A_ROW = 6;
const LONGEST_OUTAGE_MS = 15_000;
