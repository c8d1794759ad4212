import type { Call, CallKind, SearchCall } from '../../call.ts';
import type { Knowledge, LoadResult } from '../../knowledge.ts';
import type { PlannerSettings } from '../../planner.ts';
import type { Pending } from '../pending.ts';
import { CallValuation } from './call_valuation.ts';
import { Records } from './records.ts';
import { Sweeps } from './sweeps.ts';

/**
 * Keeps what is known true: fetches records and lists summaries again, whichever is worth more at its price.
 */
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
      worth: (record) => valuation.record(record),
    });
    this.#kinds = settings.kinds;
    const canSweep = settings.kinds.has('search');
    this.#sweeps = new Sweeps({
      ...{ states: canSweep ? knowledge.queries() : [], pending },
      age: { startedAtMs, maxAgeMs: maxAge.summariesMs },
    });
  }

  /** What the best call is worth, in days; 0: nothing is due. */
  bestYield(nowMs: number): number {
    return Math.max(this.#recordYield(nowMs), this.#sweepYield(nowMs));
  }

  /** The best call; null: nothing is due. */
  take(nowMs: number): Call | null {
    this.#setOpenDays(nowMs);
    const record = this.#recordYield(nowMs);
    const sweep = this.#sweepYield(nowMs);
    if (record === 0 && sweep === 0) return null;
    return record >= sweep ? this.records.take(nowMs) : this.#takeSweep(nowMs);
  }

  /** Is this a page of a listing that is made again? */
  isSweep({ query }: SearchCall): boolean {
    return this.#sweeps.isOurs(query);
  }

  learn(result: LoadResult): void {
    this.records.learn(result);
    this.#sweeps.learn(result);
    if (++this.#learned % LEARNED_BETWEEN_LOOKS === 0) this.valuation.lookAgain();
  }

  release(call: Call): void {
    this.records.release(call);
  }

  #recordYield(nowMs: number): number {
    return this.#kinds.has('entity') ? this.records.bestYield(nowMs) : 0;
  }

  /** Due summaries are worth something in any case, but next to nothing where they show no changes. */
  #sweepYield(nowMs: number): number {
    const offer = this.#sweeps.offer(nowMs, this.#listing);
    return offer === null ? 0 : Math.max(offer.rows * this.valuation.listing(offer.sinceDays), LEAST_WORTH);
  }

  #takeSweep(nowMs: number): Call | null {
    const offer = this.#sweeps.offer(nowMs, this.#listing);
    if (offer === null) return null;
    const expected = offer.rows * this.valuation.flags(offer.sinceDays);
    return this.#sweeps.take(nowMs, this.#listing, Math.round(expected * 1000) / 1000);
  }

  /** A company waits half a round of sweeps, on the average, since it was listed last. */
  #setOpenDays(nowMs: number): void {
    this.valuation.openDays = (this.#sweeps.oldestDays(nowMs) ?? Number.POSITIVE_INFINITY) / 2;
  }

  readonly #listing = (sinceDays: number) => this.valuation.listing(sinceDays);
}

const LEARNED_BETWEEN_LOOKS = 64;
const LEAST_WORTH = 1e-9;
