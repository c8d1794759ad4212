import type { Call } from '../call.ts';
import type { Knowledge, LoadResult } from '../knowledge.ts';
import type { PlanInput } from '../planner.ts';
import type { Candidate, Source } from './candidate.ts';
import type { Discovery } from './discovery/discovery.ts';
import type { Pending } from './pending.ts';
import type { CallValuation } from './refresh/call_valuation.ts';
import type { RepeatedListings } from './refresh/refresh.ts';
import { WaitingSearch } from './waiting_search.ts';

/**
 * Proposes the best search for new companies. Companies that have joined the registry since a due listing was read are
 * left to that listing. If `j` of `m` missing companies have joined since then, a search is worth `1 − j/m` of its value.
 */
export class NewCompanies implements Source {
  readonly findsCompanies = true;
  readonly #discovery: Discovery;
  readonly #valuation: CallValuation;
  readonly #knowledge: Pick<Knowledge, 'knownCount' | 'latestStats'>;
  readonly #listings: Pick<RepeatedListings, 'isSweep' | 'joined'>;
  readonly #next: WaitingSearch;

  constructor(options: {
    readonly discovery: Discovery;
    readonly valuation: CallValuation;
    readonly pending: Pending;
    readonly knowledge: Pick<Knowledge, 'knownCount' | 'latestStats'>;
    readonly listings: Pick<RepeatedListings, 'isSweep' | 'joined'>;
  }) {
    this.#discovery = options.discovery;
    this.#valuation = options.valuation;
    this.#next = new WaitingSearch({
      pending: options.pending,
      next: (nowMs) => options.discovery.next(nowMs),
      release: (search) => options.discovery.release(search),
    });
    this.#knowledge = options.knowledge;
    this.#listings = options.listings;
  }

  best({ nowMs }: PlanInput): Candidate | null {
    const share = this.#shareNotJoined(nowMs);
    if (share === 0) this.#next.drop();
    const search = share === 0 ? null : this.#next.best(nowMs);
    return search === null
      ? null
      : {
          call: search,
          value: share * this.#valuation.companies(search.expected),
          planned: () => this.#next.planned(),
        };
  }

  learn(result: LoadResult): void {
    const { call } = result;
    // New evidence may make another search better.
    if (call.kind === 'search') this.#next.drop();
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
}
