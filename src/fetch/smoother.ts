import pThrottle from 'p-throttle';
import type { Clock } from '../clock.ts';

/** Resolves when this process may take its next slot. When the signal aborts, it resolves and the smoother ends. */
export type Smoother = (signal: AbortSignal) => Promise<void>;

export function openSmoother(slotSpacingMs: number, clock: Pick<Clock, 'now'>): Smoother {
  const intervalMs = slotSpacingMs * SMOOTHED_SHARE;
  // Intervals below the resolution of a timer cannot be smoothed. Connections that become free in one turn of the event
  // loop share one transaction.
  if (intervalMs < 1) return () => new Promise(setImmediate);
  const ended = new AbortController();
  const open = () =>
    pThrottle({ limit: 1, interval: intervalMs, strict: true, signal: ended.signal })(async () => {});
  let throttled = open();
  let calledAtMs = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    const nowMs = clock.now();
    // p-throttle compares wall-clock times: after the clock is set back, it would wait until the old time returns.
    if (nowMs < calledAtMs) throttled = open();
    calledAtMs = nowMs;
    const end = () => ended.abort();
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    try {
      await throttled();
    } catch (error) {
      if (!ended.signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', end);
    }
  };
}

// p-throttle counts from the time at which its timer fired, which is about 1 ms late. A slightly shorter interval never
// delays a slot; the ledger sets the time of the slot.
const SMOOTHED_SHARE = 0.9;
