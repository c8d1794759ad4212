import type { Knowledge, QueryState } from '../knowledge.ts';
import type { PlanInput } from '../planner.ts';
import type { Candidate, Source } from './candidate.ts';
import { type AgeLimit, dueBeforeMs } from './due.ts';
import type { Pending } from './pending.ts';
import { isOutnumbered } from './refresh/covering_queries.ts';
import { isOfAll } from './registry_size.ts';

/** Proposes the statistics call. It comes before every other call, because it shows how many companies are missing. */
export class Statistics implements Source {
  readonly #knowledge: Knowledge;
  readonly #age: AgeLimit;
  readonly #pending: Pending;
  /** The listing of all companies as it was when the run started; empty if there is none. */
  #everything: readonly QueryState[] | null = null;

  constructor(options: { readonly knowledge: Knowledge; readonly age: AgeLimit; readonly pending: Pending }) {
    this.#knowledge = options.knowledge;
    this.#age = options.age;
    this.#pending = options.pending;
  }

  best({ nowMs, left }: PlanInput): Candidate | null {
    if (!this.#pending.isFree('stats', '', nowMs)) return null;
    const latest = this.#knowledge.latestStats();
    if (latest !== null && latest.observedAtMs >= dueBeforeMs(this.#age, nowMs) && !this.#isOutdated())
      return null;
    const allowed = left.lifetimeLimit === null ? Infinity : Math.floor(left.lifetimeLimit * LIFETIME_SHARE);
    if (this.#knowledge.statsCallsMade() >= allowed) return null;
    const reason = latest === null ? 'the registry count is unknown' : 'statistics are due again';
    return { call: { kind: 'stats', reason, expected: 0 }, value: Number.POSITIVE_INFINITY };
  }

  /** Returns whether companies have left the registry, so that a count from before this run may be too large. */
  #isOutdated(): boolean {
    const latest = this.#knowledge.latestStats();
    if (latest === null || latest.observedAtMs >= this.#age.startedAtMs) return false;
    this.#everything ??= [...this.#knowledge.queries()].filter(isOfAll);
    return this.#everything.some((listing) => isOutnumbered(listing, this.#knowledge));
  }
}

// The share of a total allowance that statistics calls may use. Without this limit, daily statistics would use up a
// total of 100 calls.
const LIFETIME_SHARE = 0.02;
