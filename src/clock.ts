/**
 * The clock is passed as an argument, so that tests can replace it. Times are epoch milliseconds, so that processes can
 * compare them.
 */
export interface Clock {
  now(): number;
  /** Resolves after `delayMs`, or as soon as the signal aborts. Never rejects. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (delayMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(Math.max(delayMs, 0), MAX_TIMEOUT_MS));
      signal?.addEventListener('abort', done, { once: true });
    }),
};

// `setTimeout` fires immediately if the delay is longer.
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The format of every time in the warehouse: UTC, ISO 8601 with milliseconds. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/**
 * The local time minus the upstream's time, in milliseconds. The upstream's time comes from the `Date` header of a
 * response; null if the header is absent or invalid. The header is truncated to whole seconds, so half a second is
 * added.
 */
export function clockSkewMs(dateHeader: string | undefined, receivedAtMs: number): number | null {
  const upstreamMs = dateHeader === undefined ? Number.NaN : Date.parse(dateHeader);
  return Number.isNaN(upstreamMs) ? null : receivedAtMs - (upstreamMs + 500);
}

/** A smaller skew is ignored, because the `Date` header is too coarse to measure it. */
export const TOLERATED_SKEW_MS = 2500;
