import type { Window } from './windows.ts';

/** Decisions about moments, pure: near a reset, and after an exhausted allowance. */

/** A call arrives at most so long after its slot, by a clock that is at most so far from ours. */
export const ARRIVAL_MS = 1000;

/** A call must arrive in the window that pays for it: none is sent right before a reset, nor right after it. */
export function clearOfResets(atMs: number, windows: readonly Window[]): number {
  const moments = windows.map(({ sinceMs, resetsAtMs }) => {
    if (resetsAtMs === null) return atMs;
    return atMs > resetsAtMs - ARRIVAL_MS ? resetsAtMs + ARRIVAL_MS : sinceMs + ARRIVAL_MS;
  });
  return Math.max(atMs, ...moments);
}

export interface Exhaustion {
  /** The date that the upstream named, or null. */
  readonly namedMs: number | null;
  readonly states: readonly Window[];
  /** How often it said so before, without an answer in between. */
  readonly times: number;
  readonly nowMs: number;
}

/**
 * How long the upstream's word that the allowance is spent holds: until the date that it names, else until
 * the next window opens, else for a day. Never for good, since a wrong reading of one answer would then
 * silence the account for ever; instead every further time without an answer in between doubles the wait.
 */
export function exhaustionEndsMs({ namedMs, states, times, nowMs }: Exhaustion): number {
  const doubled = 2 ** Math.min(times, 10);
  const resets = states.flatMap(({ resetsAtMs }) => resetsAtMs ?? []);
  const dueMs = namedMs ?? (resets.length > 0 ? Math.min(...resets) : nowMs + DAY_MS * doubled);
  const leastMs = times === 0 ? nowMs : nowMs + (HOUR_MS * doubled) / 2;
  return Math.min(Math.max(dueMs, leastMs), nowMs + LONGEST_MS);
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LONGEST_MS = 32 * DAY_MS;
