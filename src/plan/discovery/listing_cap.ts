import { queryKey } from '../../call.ts';
import type { QueryState } from '../../knowledge.ts';

/**
 * An undocumented cap on the results of one query, over all pages. Several listings that ended below their totals, with
 * the same number of rows, were truncated at the cap, unless another listing has more rows.
 */
export class ListingCap {
  #longest = 0;
  /** The queries whose listings ended below their totals after `#longest` rows. */
  readonly #truncated = new Set<string>();

  /** The cap in rows; Infinity if there is no evidence of one. */
  get rows(): number {
    return this.#truncated.size >= MIN_TRUNCATED ? this.#longest : Number.POSITIVE_INFINITY;
  }

  /** Learns from a query's state. */
  record({ query, status, rows, total }: QueryState): void {
    if (rows > this.#longest) {
      this.#longest = rows;
      this.#truncated.clear();
    }
    const isTruncated = status === 'capped' && total !== null && rows < total;
    if (isTruncated && rows === this.#longest) this.#truncated.add(queryKey(query));
  }
}

// With fewer listings, a page parameter that the upstream ignores could look like a cap.
const MIN_TRUNCATED = 3;
