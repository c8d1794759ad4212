import type { Verdict } from '../outcome.ts';

/** Doubles the pause after each throttled call, because each throttled call costs a unit. */
export interface Backoff {
  /**
   * Returns the verdict. If it is a throttle, the pause is increased to at least min(1 s · 2^(n-1), 15 min), where n is
   * the number of consecutive throttles.
   */
  observe(verdict: Verdict, sentAtMs: number, nowMs: number): Verdict;
}

export function openBackoff(): Backoff {
  let pausedUntilMs = Number.NEGATIVE_INFINITY;
  let throttles = 0;
  return {
    observe: (verdict, sentAtMs, nowMs) => {
      if (verdict.is !== 'throttled') {
        if (SERVED.has(verdict.is)) throttles = 0;
        return verdict;
      }
      // Calls that were in flight at the same time are throttled together and are counted as one throttle.
      if (sentAtMs >= pausedUntilMs) throttles += 1;
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (throttles - 1), MAX_PAUSE_MS);
      const untilMs = Math.max(verdict.untilMs, nowMs + pauseMs);
      pausedUntilMs = Math.max(pausedUntilMs, untilMs);
      return { ...verdict, untilMs };
    },
  };
}

const SERVED = new Set<Verdict['is']>(['ok', 'absent', 'gone', 'refused']);
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 15 * 60_000;
