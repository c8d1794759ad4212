import type { Call, SearchCall } from '../call.ts';
import type { Knowledge, LoadResult } from '../knowledge.ts';
import type { PlanInput } from '../planner.ts';
import type { Candidate, Source } from './candidate.ts';
import type { Discovery } from './discovery/discovery.ts';
import type { Pending } from './pending.ts';
import type { CallValuation } from './refresh/call_valuation.ts';
import type { RepeatedListings } from './refresh/refresh.ts';

/**
 * Proposes the best search for new companies. Companies that have joined the registry since a due listing was read are
 * left to that listing. If `j` of `m` missing companies have joined since then, a search is worth `1 − j/m` of its value.
 */
export class NewCompanies implements Source {
  readonly findsCompanies = true;
  readonly #discovery: Discovery;
  readonly #valuation: CallValuation;
  readonly #pending: Pending;
  readonly #knowledge: Pick<Knowledge, 'knownCount' | 'latestStats'>;
  readonly #listings: Pick<RepeatedListings, 'isSweep' | 'joined'>;
  /** The best search. It waits as long as other calls are more valuable. */
  #next: SearchCall | null = null;

  constructor(options: {
    readonly discovery: Discovery;
    readonly valuation: CallValuation;
    readonly pending: Pending;
    readonly knowledge: Pick<Knowledge, 'knownCount' | 'latestStats'>;
    readonly listings: Pick<RepeatedListings, 'isSweep' | 'joined'>;
  }) {
    this.#discovery = options.discovery;
    this.#valuation = options.valuation;
    this.#pending = options.pending;
    this.#knowledge = options.knowledge;
    this.#listings = options.listings;
  }

  best({ nowMs }: PlanInput): Candidate | null {
    const share = this.#shareNotJoined(nowMs);
    if (share === 0) this.#dropNext();
    else this.#next ??= this.#discovery.next(nowMs, 1)[0] ?? null;
    if (this.#next === null) return null;
    return { kind: 'search', value: share * this.#valuation.companies(this.#next.expected) };
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
    this.#discovery.learn(result, { isRepeated: call.kind === 'search' && this.#listings.isSweep(call) });
  }

  release(call: Call): void {
    if (call.kind === 'search') this.#discovery.release(call);
  }

  #shareNotJoined(nowMs: number): number {
    const joined = this.#listings.joined(nowMs);
    if (joined === 0) return 1;
    const missing = (this.#knowledge.latestStats()?.total ?? 0) - this.#knowledge.knownCount();
    return Math.max(0, 1 - joined / Math.max(1, missing));
  }

  #dropNext(): void {
    if (this.#next === null) return;
    this.#pending.landed(this.#next);
    this.#discovery.release(this.#next);
    this.#next = null;
  }
}
