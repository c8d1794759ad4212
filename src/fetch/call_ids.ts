import { IDS_PER_MS } from '../call.ts';

/**
 * Mints call ids: integers below 2^53 that increase with each call and, as far as the clock permits, with time. Ids
 * never go back, even if the clock is set back, because they continue from the last id in the warehouse.
 *
 * All ids of a run have the same remainder, which differs from that of the next 1,023 runs. Two runs therefore never
 * mint the same id, not even if one of them has lost the lock without noticing it yet.
 */
export class CallIds {
  readonly #remainder: number;
  #last: number;

  constructor({ last, runId }: { readonly last: number; readonly runId: number }) {
    this.#last = last;
    this.#remainder = runId % IDS_PER_MS;
  }

  /** The last id that was minted. */
  get last(): number {
    return this.#last;
  }

  next(sentAtMs: number): number {
    const earliest = Math.max(this.#last + 1, Math.floor(sentAtMs) * IDS_PER_MS);
    const distance = (this.#remainder - (earliest % IDS_PER_MS) + IDS_PER_MS) % IDS_PER_MS;
    this.#last = earliest + distance;
    return this.#last;
  }
}
