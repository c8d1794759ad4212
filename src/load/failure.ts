import type { Failure } from '../plan/knowledge.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Waits before the next try of a target that failed: most faults pass at once, the others take days. */
// The first three are short enough for one run to sit out; a fifth of all calls failing then leaves one target in 600.
const WAITS_MS = [2, 10, 45, 900, 3600, 21_600]
  .map((seconds) => seconds * SECOND)
  .concat([DAY, 2 * DAY, 4 * DAY, 7 * DAY]);

/** The state of a target after its `tries`-th failure in a row. */
export function failureAfter(
  target: Pick<Failure, 'kind' | 'target'>,
  tries: number,
  failedAtMs: number,
): Failure {
  const waitMs = WAITS_MS[Math.min(tries, WAITS_MS.length) - 1] ?? SECOND;
  return { ...target, tries, nextTryAtMs: failedAtMs + waitMs };
}

/** Asking the same again is in vain: it waits as long as anything does. */
export function refusalAfter(
  target: Pick<Failure, 'kind' | 'target'>,
  tries: number,
  failedAtMs: number,
): Failure {
  return failureAfter(target, Math.max(tries, WAITS_MS.length), failedAtMs);
}
