import { MINUTE_MS } from '../durations.ts';
import type { Verdict } from '../outcome.ts';

/** Doubles the pause after each throttled call, because every such call costs a unit. */
export class Backoff {
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #throttles = 0;

  /**
   * Returns the verdict. After the n-th throttled call in a row, its pause lasts at least min(1 s · 2^(n−1), 15 min).
   */
  observe(verdict: Verdict, sentAtMs: number, nowMs: number): Verdict {
    if (verdict.is !== 'throttled') {
      if (SERVED.has(verdict.is)) this.#throttles = 0;
      return verdict;
    }
    // Calls that were in flight at the same time are throttled together, so they count as one throttled call.
    if (sentAtMs >= this.#pausedUntilMs) this.#throttles += 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (this.#throttles - 1), MAX_PAUSE_MS);
    const untilMs = Math.max(verdict.untilMs, nowMs + pauseMs);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    return { ...verdict, untilMs };
  }
}

const SERVED = new Set<Verdict['is']>(['ok', 'absent', 'gone', 'refused']);
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 15 * MINUTE_MS;
