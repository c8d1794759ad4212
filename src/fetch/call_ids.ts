/**
 * Mints call ids: integers that increase with each call and continue from the last id in the warehouse.
 *
 * All ids of a run have the same remainder, which differs from that of the next 255 runs. Two runs therefore never mint
 * the same id, not even if one of them has lost the lock without noticing it yet.
 */
export class CallIds {
  readonly #remainder: number;
  #last: number;

  constructor({ last, runId }: { readonly last: number; readonly runId: number }) {
    this.#last = last;
    this.#remainder = runId % RUNS;
  }

  /** The last id that was minted. */
  get last(): number {
    return this.#last;
  }

  next(): number {
    const earliest = this.#last + 1;
    this.#last = earliest + ((this.#remainder - (earliest % RUNS) + RUNS) % RUNS);
    return this.#last;
  }
}

const RUNS = 256;
