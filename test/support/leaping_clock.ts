import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/clock.ts';

/** A clock that skips long waits, so that a test simulates days of retries and allowance windows in seconds. */
export interface LeapingClock extends Clock {
  leap(delayMs: number): void;
}

export function leapingClock(startMs: number): LeapingClock {
  const openedMs = performance.now();
  let skippedMs = 0;
  return {
    now: () => startMs + skippedMs + (performance.now() - openedMs),
    leap: (delayMs) => {
      skippedMs += Math.max(0, delayMs);
    },
    sleep: async (delayMs, signal) => {
      if (signal?.aborted || delayMs <= 0) return;
      if (delayMs > SHORT_MS) skippedMs += delayMs;
      await sleep(Math.min(delayMs, SHORT_MS));
    },
  };
}

// Short waits are not skipped, because they determine the order of events in a process.
const SHORT_MS = 2;
