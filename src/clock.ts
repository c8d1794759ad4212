/** The clock is an argument, so that a test can replace it. Epoch milliseconds can be compared between processes. */
export interface Clock {
  now(): number;
  /** Resolves after `delayMs`, or immediately when the signal aborts. Never rejects. */
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

// setTimeout fires immediately for longer delays.
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The format of every time in the warehouse: UTC, ISO 8601 with milliseconds. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/**
 * The local time minus the time of the upstream, from the Date header of a response; null without a valid header.
 * The header has whole seconds, so half a second is added to it.
 */
export function clockSkewMs(dateHeader: string | undefined, receivedAtMs: number): number | null {
  const upstreamMs = dateHeader === undefined ? Number.NaN : Date.parse(dateHeader);
  return Number.isNaN(upstreamMs) ? null : receivedAtMs - (upstreamMs + 500);
}

/** The resolution of a Date header cannot show a smaller skew. */
export const TOLERATED_SKEW_MS = 2500;
