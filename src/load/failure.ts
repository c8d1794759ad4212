import type { Failure } from '../plan/knowledge.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Waits before the next try of a target that failed. The first three are short enough for one run to sit
 * out (with a fifth of all calls failing, one target in 600 is left); what lasts longer takes hours, then days.
 */
const WAITS_MS = [
  2 * SECOND,
  10 * SECOND,
  45 * SECOND,
  15 * MINUTE,
  HOUR,
  6 * HOUR,
  DAY,
  2 * DAY,
  4 * DAY,
  7 * DAY,
];

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
