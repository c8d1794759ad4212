import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/clock.ts';

/** A clock that leaps over waits instead of sitting them out: days of retries and windows pass in seconds. */
export interface LeapingClock extends Clock {
  leap(delayMs: number): void;
}

export function leapingClock(startMs: number): LeapingClock {
  const openedMs = performance.now();
  let leaptMs = 0;
  return {
    now: () => startMs + leaptMs + (performance.now() - openedMs),
    leap: (delayMs) => {
      leaptMs += Math.max(0, delayMs);
    },
    sleep: async (delayMs, signal) => {
      if (signal?.aborted || delayMs <= 0) return;
      if (delayMs > SHORT_MS) leaptMs += delayMs;
      await sleep(Math.min(delayMs, SHORT_MS));
    },
  };
}

// Shorter waits are real: they order what happens in one process.
const SHORT_MS = 2;
