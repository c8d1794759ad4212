import type { Call, SearchCall } from '../call.ts';
import type { LoadResult } from '../knowledge.ts';
import type { PlanInput } from '../planner.ts';
import type { Candidate, Source } from './candidate.ts';
import type { Discovery } from './discovery/discovery.ts';
import type { Pending } from './pending.ts';
import type { CallValuation } from './refresh/call_valuation.ts';

/** Proposes the best search for new companies. */
export class NewCompanies implements Source {
  readonly findsCompanies = true;
  readonly #discovery: Discovery;
  readonly #valuation: CallValuation;
  readonly #pending: Pending;
  readonly #isSweep: (call: SearchCall) => boolean;
  /** The best search. It waits as long as other calls are more valuable. */
  #next: SearchCall | null = null;

  constructor(options: {
    readonly discovery: Discovery;
    readonly valuation: CallValuation;
    readonly pending: Pending;
    /** Returns whether a call repeats a listing that is due again. */
    readonly isSweep: (call: SearchCall) => boolean;
  }) {
    this.#discovery = options.discovery;
    this.#valuation = options.valuation;
    this.#pending = options.pending;
    this.#isSweep = options.isSweep;
  }

  best({ nowMs }: PlanInput): Candidate | null {
    this.#next ??= this.#discovery.next(nowMs, 1)[0] ?? null;
    if (this.#next === null) return null;
    return { kind: 'search', value: this.#valuation.companies(this.#next.expected) };
  }

  take(): Call | null {
    const search = this.#next;
    this.#next = null;
    return search;
  }

  learn(result: LoadResult): void {
    const { call } = result;
    // New evidence may make another search better.
    if (call.kind === 'search') this.#dropNext();
    // A repeated listing shows nothing new unless it shows new companies.
    const isSweep = call.kind === 'search' && this.#isSweep(call);
    if (!isSweep || result.rows.some((row) => row.isNew)) this.#discovery.learn(result);
  }

  release(call: Call): void {
    if (call.kind === 'search') this.#discovery.release(call);
  }

  #dropNext(): void {
    if (this.#next === null) return;
    this.#pending.landed(this.#next);
    this.#discovery.release(this.#next);
    this.#next = null;
  }
}
