import type { Call, StatsCall } from '../call.ts';
import type { Knowledge } from '../knowledge.ts';
import type { PlanInput, QuotaLeft } from '../planner.ts';
import type { Candidate, Source } from './candidate.ts';
import { type AgeLimit, dueBeforeMs } from './due.ts';
import type { Pending } from './pending.ts';

/** Proposes the statistics call. It comes before every other call, because it shows how many companies are missing. */
export class Statistics implements Source {
  readonly #knowledge: Knowledge;
  readonly #age: AgeLimit;
  readonly #pending: Pending;

  constructor(options: { readonly knowledge: Knowledge; readonly age: AgeLimit; readonly pending: Pending }) {
    this.#knowledge = options.knowledge;
    this.#age = options.age;
    this.#pending = options.pending;
  }

  best(ask: PlanInput): Candidate | null {
    return this.take(ask) === null ? null : { kind: 'stats', value: Number.POSITIVE_INFINITY };
  }

  take({ nowMs, left }: PlanInput): Call | null {
    if (!this.#pending.isFree('stats', '', nowMs)) return null;
    return statisticsDue({ knowledge: this.#knowledge, nowMs, left, age: this.#age });
  }

  learn(): void {}

  release(): void {}
}
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
}): StatsCall | null {
  const latest = knowledge.latestStats();
  if (latest !== null && latest.observedAtMs >= dueBeforeMs(age, nowMs)) return null;
  if (left.lifetimeLimit !== null) {
    const allowed = Math.floor(left.lifetimeLimit * LIFETIME_SHARE);
    if (knowledge.statsCallsMade() >= allowed) return null;
  }
  const reason = latest === null ? 'the registry count is unknown' : 'statistics are due again';
  return { kind: 'stats', reason, expected: 0 };
}
