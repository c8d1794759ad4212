export interface AgeLimit {
  /** When the run began, in epoch milliseconds. */
  readonly startedAtMs: number;
  readonly maxAgeMs: number;
}

/**
 * What was received before this time is due. It depends on the start of the run, so that no response of the run is due
 * again within it. If the clock was set back since, the current time counts: else each new response would be due at once.
 */
export function dueBeforeMs({ startedAtMs, maxAgeMs }: AgeLimit, nowMs: number): number {
  return Math.min(startedAtMs, nowMs) - maxAgeMs;
}
