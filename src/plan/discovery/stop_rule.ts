import type { Knowledge } from '../../knowledge.ts';
import { searchesSinceCount } from './latest_searches.ts';

interface SearchOutcome {
  readonly found: number;
  readonly expected: number;
  /** Whether as many companies were known before the search as the registry count reports. */
  readonly isReached?: boolean;
}

interface StopQuestion {
  /** `M`. */
  readonly missing: number;
  readonly minSearches?: number;
}

/**
 * Decides when discovery gives up on unreachable companies.
 *
 * Let `M` be the number of missing companies, and `s` the number of searches in a row without a new company. Discovery ends
 * if `s ≥ 120 + 10·√M`, or if `s ≥ 100` and the last 100 of them were together expected to find less than one company. The
 * rule and its constants are empirical (docs/planner.md).
 */
export class StopRule {
  /** The expected yields of the `s` searches. They are forgotten when the registry count changes. */
  #empty: number[] = [];
  /** The number of companies found since ten searches in a row last found none although the count was reached. */
  #uncheckedFinds = 0;
  /** The number of searches in a row that found none although the count was reached. */
  #checks = 0;
  /** Whether a search has found a company although the count was reached. */
  #isCountLow = false;

  constructor(knowledge: Pick<Knowledge, 'latestSearches' | 'knownCount' | 'latestStats'>) {
    // Companies that were missing before the registry count changed may have been unreachable.
    const searches = searchesSinceCount(knowledge, MAX_SEARCHES);
    const total = knowledge.latestStats()?.total ?? Number.POSITIVE_INFINITY;
    let known = knowledge.knownCount() - searches.reduce((sum, { found }) => sum + found, 0);
    for (const { found, expected } of searches.reverse()) {
      this.record({ found, expected, isReached: known >= total });
      known += found;
    }
  }

  /** The number of searches in a row without a new company. */
  get emptySearches(): number {
    return this.#empty.length;
  }

  record({ found, expected, isReached = false }: SearchOutcome): void {
    if (found > 0) this.#empty = [];
    else this.#empty.push(expected);
    this.#checks = found > 0 || !isReached ? 0 : this.#checks + 1;
    if (isReached && found > 0) this.#isCountLow = true;
    const isChecked = this.#checks >= (this.#isCountLow ? LOW_COUNT_CHECKS : CHECK_SEARCHES);
    this.#uncheckedFinds = isChecked ? 0 : this.#uncheckedFinds + found;
  }

  /**
   * Returns whether a registry count that equals the number of known companies is trusted. Statistics can report too few
   * companies, so ten searches in a row must have found nothing since it was reached. They are repeated after a further
   * 2% of the companies were found.
   */
  isCountChecked(known: number): boolean {
    return this.#uncheckedFinds <= UNCHECKED_SHARE * known;
  }

  /** Resets the rule after the registry count has changed, because the companies missing now may be reachable. */
  reset(): void {
    this.#empty = [];
    this.#isCountLow = false;
  }

  /** Returns whether the limit is reached. The limit is at least `minSearches`. */
  isOver({ missing, minSearches = 0 }: StopQuestion): boolean {
    const expected = this.#empty.slice(-HOPELESS_LIMIT).reduce((sum, one) => sum + one, 0);
    const limit = expected < 1 ? HOPELESS_LIMIT : stopLimit(missing);
    return this.#empty.length >= Math.max(minSearches, limit);
  }
}

/** Returns after how many searches in a row without a new company discovery gives up if more are expected. */
export function stopLimit(missing: number): number {
  return LIMIT + LIMIT_PER_ROOT * Math.sqrt(missing);
}

const LIMIT = 120;
const LIMIT_PER_ROOT = 10;
/** The limit if so many searches were together expected to find less than one company. */
const HOPELESS_LIMIT = 100;
/** The searches that confirm a reached count. */
export const CHECK_SEARCHES = 10;
/** The same after a search has found a company although the count was reached. */
const LOW_COUNT_CHECKS = 60;
const UNCHECKED_SHARE = 0.02;
/** Searches before these are ignored. */
const MAX_SEARCHES = 1_000;
