import type { QueryState } from '../../knowledge.ts';

/**
 * An undocumented cap on the results of one query, over all pages. A listing that ended below its total was truncated at
 * the cap, unless another listing has more rows.
 */
export class ListingCap {
  #truncated = 0;
  #longest = 0;

  /** The cap in rows; Infinity if there is no evidence of one. */
  get rows(): number {
    return this.#truncated > 0 && this.#truncated === this.#longest
      ? this.#truncated
      : Number.POSITIVE_INFINITY;
  }

  /** Learns from a query's state, and returns whether the cap has changed. */
  record({ status, rows, total }: QueryState): boolean {
    const before = this.rows;
    this.#longest = Math.max(this.#longest, rows);
    if (status === 'capped' && total !== null && rows < total)
      this.#truncated = Math.max(this.#truncated, rows);
    return this.rows !== before;
  }
}
