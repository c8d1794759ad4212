/** The clock is passed in, so that a test can own it. Times are epoch milliseconds: comparable between processes. */
export interface Clock {
  now(): number;
  /** Resolves after `delayMs`, or at once when the signal aborts. Never rejects. */
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

// setTimeout fires at once for longer delays.
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** UTC, ISO 8601 with milliseconds: the form of every time in the warehouse. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/**
 * By how much our clock is ahead of the upstream's (negative: behind), by the Date of an answer, which has whole
 * seconds; null: it names none.
 */
export function clockSkewMs(dateHeader: string | undefined, answeredAtMs: number): number | null {
  const theirs = dateHeader === undefined ? Number.NaN : Date.parse(dateHeader);
  return Number.isNaN(theirs) ? null : answeredAtMs - (theirs + 500);
}

/** Less is no difference that a Date header could show. */
export const TOLERATED_SKEW_MS = 2500;
