import type { SearchCall } from '../../call.ts';
import type { Knowledge, LoadResult } from '../../knowledge.ts';
import type { PlanInput, PlannerSettings } from '../../planner.ts';
import type { Candidate, Source } from '../candidate.ts';
import type { Pending } from '../pending.ts';
import { CallValuation } from './call_valuation.ts';
import { coveringQueries, isOutdatedByCount } from './covering_queries.ts';
import { Records } from './records.ts';
import { Sweeps } from './sweeps.ts';

interface Parts {
  readonly knowledge: Knowledge;
  readonly valuation: CallValuation;
  readonly sweeps: Sweeps;
}

/** Opens the two sources that keep known companies up to date, and the valuation that compares their calls. */
export function openRefresh(options: {
  readonly knowledge: Knowledge;
  readonly settings: Pick<PlannerSettings, 'startedAtMs' | 'maxAge' | 'focus' | 'kinds'>;
  readonly pending: Pending;
  /** Whether the registry has queries besides the one that lists all companies. */
  readonly hasQueries: boolean;
}): {
  readonly valuation: CallValuation;
  readonly records: Records;
  readonly listings: RepeatedListings;
} {
  const { knowledge, settings, pending, hasQueries } = options;
  const { startedAtMs, maxAge } = settings;
  const valuation = new CallValuation(knowledge, settings.focus);
  const sweeps = new Sweeps({
    states: settings.kinds.has('search') ? coveringQueries(knowledge) : [],
    pending,
    age: { startedAtMs, maxAgeMs: maxAge.summariesMs },
    isOutdated: (listing) => isOutdatedByCount(listing, knowledge, hasQueries),
  });
  const records = new Records({
    knowledge,
    pending,
    age: { startedAtMs, maxAgeMs: maxAge.recordsMs },
    yieldOf: (record) => valuation.record(record),
  });
  return { valuation, records, listings: new RepeatedListings({ knowledge, valuation, sweeps }) };
}

/**
 * Proposes the best repeated listing. A listing also finds the companies that have joined the registry since it was
 * read. A due listing always has a small value, even if listings show no changes.
 */
class RepeatedListings implements Source {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  best({ nowMs }: PlanInput): Candidate | null {
    const { sweeps, valuation } = this.#parts;
    // The companies were listed half as long ago, on average, as the oldest listing was read.
    valuation.openDays = (sweeps.oldestDays(nowMs) ?? Number.POSITIVE_INFINITY) / 2;
    const offer = sweeps.offer(nowMs, (sinceDays) => valuation.listing(sinceDays));
    if (offer === null) return null;
    const { rows, sinceDays } = offer;
    const joining = rows * this.#joinedShare(nowMs);
    const value = rows * valuation.listing(sinceDays) + valuation.companies(joining);
    const expected = rows * valuation.flags(sinceDays) + joining;
    return {
      call: offer.callFor(Math.round(expected * 1000) / 1000),
      value: Math.max(value, MIN_YIELD),
      planned: () => sweeps.start(offer),
    };
  }

  /**
   * Returns the share of the missing companies for which searches are worthwhile. The oldest due listing will show the
   * companies that have joined the registry since it was last read.
   */
  shareNotJoined(nowMs: number): number {
    const joined = this.#joined(nowMs);
    if (joined === 0) return 1;
    const { knowledge } = this.#parts;
    const missing = (knowledge.latestStats()?.total ?? 0) - knowledge.knownCount();
    return Math.max(0, 1 - joined / Math.max(1, missing));
  }

  /** Returns how many companies have joined the registry since the oldest due listing was read; 0 if none is due. */
  #joined(nowMs: number): number {
    const { knowledge, sweeps } = this.#parts;
    const sinceMs = sweeps.oldestDueMs(nowMs);
    const before = sinceMs === null ? null : knowledge.registryCountAt(sinceMs);
    return before === null ? 0 : Math.max(0, (knowledge.latestStats()?.total ?? 0) - before);
  }

  #joinedShare(nowMs: number): number {
    return this.#joined(nowMs) / Math.max(1, this.#parts.knowledge.knownCount());
  }

  /** Returns whether the call requests a page of a repeated listing. */
  isSweep({ query }: SearchCall): boolean {
    return this.#parts.sweeps.isSweeping(query);
  }

  learn(result: LoadResult): void {
    this.#parts.sweeps.learn(result);
  }
}

const MIN_YIELD = 1e-9;
