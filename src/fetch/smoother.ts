import pThrottle from 'p-throttle';
import type { Clock } from '../clock.ts';

/**
 * Resolves when this process may ask the ledger for its next slot, or when the signal aborts. It spreads the process's
 * transactions over time, so that they do not compete with those of other processes. The ledger enforces the limits. A
 * smoother cannot be used after an abort.
 */
export type Smoother = (signal: AbortSignal) => Promise<void>;

export function openSmoother(slotSpacingMs: number, clock: Pick<Clock, 'now'>): Smoother {
  const intervalMs = slotSpacingMs * SMOOTHED_SHARE;
  // Intervals shorter than a timer's resolution cannot be smoothed. Wait only for the next turn of the event loop, so
  // that one transaction serves all connections that become free in the same turn.
  if (intervalMs < 1) return () => new Promise(setImmediate);
  const ended = new AbortController();
  const open = () =>
    pThrottle({ limit: 1, interval: intervalMs, strict: true, signal: ended.signal })(async () => {});
  let throttled = open();
  let calledAtMs = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    const nowMs = clock.now();
    // p-throttle compares wall-clock times. If the clock were set back, p-throttle would wait until it had caught up.
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

// p-throttle measures each interval from when its timer fires, which is about 1 ms late. With a slightly shorter
// interval, p-throttle never delays a slot. The ledger sets the exact time of each slot.
const SMOOTHED_SHARE = 0.9;
