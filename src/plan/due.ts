export interface AgeLimit {
  /** When the run started, in epoch milliseconds. */
  readonly startedAtMs: number;
  readonly maxAgeMs: number;
}

/**
 * Returns the time, in epoch milliseconds, before which a response is too old. It is the start of the run minus the
 * maximum age, so that a run repeats none of its own calls. If the clock was set back during the run, the current time
 * replaces the start. Otherwise, every new response would be due immediately.
 */
export function dueBeforeMs({ startedAtMs, maxAgeMs }: AgeLimit, nowMs: number): number {
  return Math.min(startedAtMs, nowMs) - maxAgeMs;
}

/** The age limit of what is requested only once. */
export const ONCE: AgeLimit = {
  startedAtMs: Number.POSITIVE_INFINITY,
  maxAgeMs: Number.POSITIVE_INFINITY,
};
