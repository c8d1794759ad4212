import type { Call, CallKind, SearchCall } from '../../call.ts';
import type { Knowledge, News } from '../knowledge.ts';
import type { Pending } from '../pending.ts';
import type { PlannerSettings } from '../plan.ts';
import { Records } from '../records.ts';
import { Exchange } from './exchange.ts';
import { Sweeps } from './sweeps.ts';

/**
 * Keeps what is known true: fetches records and lists summaries again, whichever is worth more at its price.
 */
export class Refresh {
  readonly records: Records;
  readonly exchange: Exchange;
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
    const exchange = new Exchange(knowledge, settings.focus);
    this.exchange = exchange;
    this.records = new Records({
      ...{ knowledge, pending, age: { startedAtMs, maxAgeMs: maxAge.recordsMs } },
      worth: (record) => exchange.record(record),
    });
    this.#kinds = settings.kinds;
    const canSweep = settings.kinds.has('search');
    this.#sweeps = new Sweeps({
      ...{ states: canSweep ? knowledge.queries() : [], pending },
      age: { startedAtMs, maxAgeMs: maxAge.summariesMs },
    });
  }

  /** What the best call is worth, in days; 0: nothing is due. */
  bestWorth(nowMs: number): number {
    return Math.max(this.#recordWorth(nowMs), this.#sweepWorth(nowMs));
  }

  /** The best call; null: nothing is due. */
  take(nowMs: number): Call | null {
    this.#setOpenDays(nowMs);
    const record = this.#recordWorth(nowMs);
    const sweep = this.#sweepWorth(nowMs);
    if (record === 0 && sweep === 0) return null;
    return record >= sweep ? this.records.take(nowMs) : this.#takeSweep(nowMs);
  }

  /** Is this a page of a listing that is made again? */
  isSweep({ query }: SearchCall): boolean {
    return this.#sweeps.isOurs(query);
  }

  learn(news: News): void {
    this.records.learn(news);
    this.#sweeps.learn(news);
    if (++this.#learned % LEARNED_BETWEEN_LOOKS === 0) this.exchange.lookAgain();
  }

  release(call: Call): void {
    this.records.release(call);
  }

  #recordWorth(nowMs: number): number {
    return this.#kinds.has('entity') ? this.records.bestWorth(nowMs) : 0;
  }

  /** Due summaries are worth something in any case, but next to nothing where they show no changes. */
  #sweepWorth(nowMs: number): number {
    const offer = this.#sweeps.offer(nowMs, this.#listing);
    return offer === null ? 0 : Math.max(offer.rows * this.exchange.listing(offer.sinceDays), LEAST_WORTH);
  }

  #takeSweep(nowMs: number): Call | null {
    const offer = this.#sweeps.offer(nowMs, this.#listing);
    if (offer === null) return null;
    const expected = offer.rows * this.exchange.flags(offer.sinceDays);
    return this.#sweeps.take(nowMs, this.#listing, Math.round(expected * 1000) / 1000);
  }

  /** A company waits half a round of sweeps, on the average, since it was listed last. */
  #setOpenDays(nowMs: number): void {
    this.exchange.openDays = (this.#sweeps.oldestDays(nowMs) ?? Number.POSITIVE_INFINITY) / 2;
  }

  readonly #listing = (sinceDays: number) => this.exchange.listing(sinceDays);
}

const LEARNED_BETWEEN_LOOKS = 64;
const LEAST_WORTH = 1e-9;
