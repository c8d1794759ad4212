import type { Call } from '../call.ts';
import type { Knowledge } from '../knowledge.ts';
import type { QuotaLeft } from '../planner.ts';
import { type AgeLimit, dueBeforeMs } from './due.ts';

// The share of a total allowance that statistics calls may use. Without this limit, daily statistics would use up a
// total of 100 calls.
const LIFETIME_SHARE = 0.02;

/** Returns the statistics call, or null if it is not due or would exceed its share of the total allowance. */
export function statisticsDue({
  knowledge,
  nowMs,
  left,
  age,
}: {
  readonly knowledge: Knowledge;
  readonly nowMs: number;
  readonly left: QuotaLeft;
  readonly age: AgeLimit;
}): Call | null {
  const latest = knowledge.latestStats();
  if (latest !== null && latest.observedAtMs >= dueBeforeMs(age, nowMs)) return null;
  if (left.lifetimeLimit !== null) {
    const allowed = Math.floor(left.lifetimeLimit * LIFETIME_SHARE);
    if (knowledge.statsCallsMade() >= allowed) return null;
  }
  const reason = latest === null ? 'the registry count is unknown' : 'statistics are due again';
  return { kind: 'stats', reason, expected: 0 };
}
