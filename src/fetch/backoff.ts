import { MINUTE_MS } from '../durations.ts';
import type { Verdict } from '../outcome.ts';

/**
 * Doubles the pause after each throttled call, because every such call costs a unit. Between the first two throttled
 * calls, it measures the rate that the upstream accepts. Each later throttled call lowers this rate.
 */
export class Backoff {
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #throttledAtMs = Number.NEGATIVE_INFINITY;
  #throttles = 0;
  #served = 0;
  #spacingMs = 0;

  /** The shortest time between two calls that the upstream accepts; 0 if it is unknown. */
  get spacingMs(): number {
    return this.#spacingMs;
  }

  /**
   * Returns the verdict. After the n-th throttled call in a row, its pause lasts at least min(1 s · 2^(n−1), 15 min).
   */
  observe(verdict: Verdict, sentAtMs: number, nowMs: number): Verdict {
    if (verdict.is !== 'throttled') {
      // A call that was in flight when another one was throttled does not show that the upstream serves calls again.
      if (SERVED.has(verdict.is) && sentAtMs >= this.#pausedUntilMs) {
        this.#throttles = 0;
        this.#served += 1;
      }
      return verdict;
    }
    // Calls that were in flight at the same time are throttled together, so they count as one throttled call.
    if (sentAtMs >= this.#pausedUntilMs) {
      this.#throttles += 1;
      this.#measure(sentAtMs);
    }
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (this.#throttles - 1), MAX_PAUSE_MS);
    const untilMs = Math.max(verdict.untilMs, nowMs + pauseMs);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    return { ...verdict, untilMs };
  }

  #measure(throttledAtMs: number): void {
    const elapsedMs = throttledAtMs - this.#throttledAtMs;
    if (this.#served > 0 && elapsedMs <= MAX_PAUSE_MS) {
      const spacingMs = this.#spacingMs > 0 ? this.#spacingMs : elapsedMs / this.#served;
      this.#spacingMs = Math.min(spacingMs * LONGER, MINUTE_MS);
    }
    this.#throttledAtMs = throttledAtMs;
    this.#served = 0;
  }
}

const SERVED = new Set<Verdict['is']>(['ok', 'absent', 'gone', 'refused']);
/** The factor by which calls are spaced further apart than the upstream seems to require. */
const LONGER = 1.05;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 15 * MINUTE_MS;
