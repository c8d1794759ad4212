import type { Verdict } from '../outcome.ts';

/** Lengthens the pauses that an upstream asks for while it does nothing but ask for them: each asking costs a unit. */
export interface Backoff {
  /** The verdict, with a throttle's pause at least as long as patience has grown. */
  observe(verdict: Verdict, sentAtMs: number, nowMs: number): Verdict;
}

export function openBackoff(): Backoff {
  let quietUntilMs = Number.NEGATIVE_INFINITY;
  let times = 0;
  return {
    observe: (verdict, sentAtMs, nowMs) => {
      if (verdict.is !== 'throttled') {
        if (ANSWERS.has(verdict.is)) times = 0;
        return verdict;
      }
      // Calls that were in flight together are throttled together: that is one time.
      if (sentAtMs >= quietUntilMs) times += 1;
      const leastMs = Math.min(FIRST_PAUSE_MS * 2 ** (times - 1), LONGEST_PAUSE_MS);
      const untilMs = Math.max(verdict.untilMs, nowMs + leastMs);
      quietUntilMs = Math.max(quietUntilMs, untilMs);
      return { ...verdict, untilMs };
    },
  };
}

const ANSWERS = new Set<Verdict['is']>(['ok', 'absent', 'gone', 'refused']);
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15 * 60_000;
