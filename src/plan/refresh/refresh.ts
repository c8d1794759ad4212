import type { Call, CallKind, SearchCall } from '../../call.ts';
import type { Knowledge, LoadResult } from '../../knowledge.ts';
import type { PlannerSettings } from '../../planner.ts';
import type { Pending } from '../pending.ts';
import { CallValuation } from './call_valuation.ts';
import { Records } from './records.ts';
import { Sweeps } from './sweeps.ts';

/** Chooses between fetching a record and repeating a listing. The call with the higher expected yield wins. */
export class Refresh {
  readonly records: Records;
  readonly valuation: CallValuation;
  readonly #sweeps: Sweeps;
  readonly #kinds: ReadonlySet<CallKind>;
  #learned = 0;

  constructor(options: {
    readonly knowledge: Knowledge;
    readonly settings: PlannerSettings;
    readonly pending: Pending;
  }) {
    const { knowledge, settings, pending } = options;
    const { startedAtMs, maxAge } = settings;
    const valuation = new CallValuation(knowledge, settings.focus);
    this.valuation = valuation;
    this.records = new Records({
      ...{ knowledge, pending, age: { startedAtMs, maxAgeMs: maxAge.recordsMs } },
      yieldOf: (record) => valuation.record(record),
    });
    this.#kinds = settings.kinds;
    const canSweep = settings.kinds.has('search');
    this.#sweeps = new Sweeps({
      ...{ states: canSweep ? knowledge.queries() : [], pending },
      age: { startedAtMs, maxAgeMs: maxAge.summariesMs },
    });
  }

  /** Returns the best call's value in days, or 0 if nothing is due. */
  bestYield(nowMs: number): number {
    return Math.max(this.#recordYield(nowMs), this.#sweepYield(nowMs));
  }

  /** Takes the best call, or returns null if nothing is due. */
  take(nowMs: number): Call | null {
    this.#setOpenDays(nowMs);
    const record = this.#recordYield(nowMs);
    const sweep = this.#sweepYield(nowMs);
    if (record === 0 && sweep === 0) return null;
    return record >= sweep ? this.records.take(nowMs) : this.#takeSweep(nowMs);
  }

  /** Returns whether the call requests a page of a repeated listing. */
  isSweep({ query }: SearchCall): boolean {
    return this.#sweeps.isSweeping(query);
  }

  learn(result: LoadResult): void {
    this.records.learn(result);
    this.#sweeps.learn(result);
    if (++this.#learned % RESULTS_BETWEEN_REFRESHES === 0) this.valuation.refreshEstimates();
  }

  release(call: Call): void {
    this.records.release(call);
  }

  #recordYield(nowMs: number): number {
    return this.#kinds.has('entity') ? this.records.bestYield(nowMs) : 0;
  }

  /**
   * Returns the best sweep's value in days. A due listing always has a small value, even if listings show no changes.
   */
  #sweepYield(nowMs: number): number {
    const offer = this.#sweeps.offer(nowMs, this.#listingYield);
    return offer === null ? 0 : Math.max(offer.rows * this.valuation.listing(offer.sinceDays), MIN_YIELD);
  }

  #takeSweep(nowMs: number): Call | null {
    const offer = this.#sweeps.offer(nowMs, this.#listingYield);
    if (offer === null) return null;
    const expected = offer.rows * this.valuation.flags(offer.sinceDays);
    return this.#sweeps.take(nowMs, this.#listingYield, Math.round(expected * 1000) / 1000);
  }

  /** Sets the listings' mean age to half the age of the oldest listing. */
  #setOpenDays(nowMs: number): void {
    this.valuation.openDays = (this.#sweeps.oldestDays(nowMs) ?? Number.POSITIVE_INFINITY) / 2;
  }

  readonly #listingYield = (sinceDays: number) => this.valuation.listing(sinceDays);
}

const RESULTS_BETWEEN_REFRESHES = 64;
const MIN_YIELD = 1e-9;
