import type { Knowledge } from '../../knowledge.ts';
import { searchesSinceCount } from './latest_searches.ts';

interface StopQuestion {
  /** `M`. */
  readonly missing: number;
  /** Whether the registry reports more companies than are known. Otherwise, `M` is only an estimate. */
  readonly isProven?: boolean;
  readonly minSearches?: number;
}

/**
 * Decides when discovery gives up on unreachable companies.
 *
 * Let `M` be the number of missing companies, and `s` the number of searches in a row without a new company. Discovery
 * ends if `s ≥ 120 + 10·√M`. The limit is multiplied by 1.5 if the registry count proves that companies are missing. The
 * rule and its constants are empirical (docs/planner.md).
 */
export class StopRule {
  /** `s`, which is reset to 0 when the registry count changes. */
  #emptySearches = 0;
  /** The number of companies found since ten searches in a row last found none although the count was reached. */
  #uncheckedFinds = 0;
  /** The number of searches in a row that found none although the count was reached. */
  #checks = 0;
  /** Whether a search has found a company although the count was reached. */
  #isCountLow = false;

  constructor(knowledge: Pick<Knowledge, 'latestSearches' | 'knownCount' | 'latestStats'>) {
    // Companies that were missing before the registry count changed may have been unreachable.
    const searches = searchesSinceCount(knowledge, MAX_SEARCHES).map(({ found }) => found);
    const total = knowledge.latestStats()?.total ?? Number.POSITIVE_INFINITY;
    let known = knowledge.knownCount() - searches.reduce((sum, found) => sum + found, 0);
    for (const found of searches.reverse()) {
      this.record(found, { isReached: known >= total });
      known += found;
    }
  }

  /** The number of searches in a row without a new company. */
  get emptySearches(): number {
    return this.#emptySearches;
  }

  /** `isReached` is whether as many companies were known before the search as the registry count reports. */
  record(found: number, { isReached = false } = {}): void {
    this.#emptySearches = found > 0 ? 0 : this.#emptySearches + 1;
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
    this.#emptySearches = 0;
    this.#isCountLow = false;
  }

  /**
   * Returns whether the limit is reached. The limit is at least `minSearches`. It is half as high again if the registry
   * count proves that the companies are missing.
   */
  isOver({ missing, isProven = false, minSearches = 0 }: StopQuestion): boolean {
    const limit = stopLimit(missing) * (isProven ? PROVEN_FACTOR : 1);
    return this.#emptySearches >= Math.max(minSearches, limit);
  }
}

/** Returns after how many searches in a row without a new company discovery gives up, if the registry is not counted. */
export function stopLimit(missing: number): number {
  return LIMIT + LIMIT_PER_ROOT * Math.sqrt(missing);
}

const LIMIT = 120;
const LIMIT_PER_ROOT = 10;
/** The limit is higher by this factor if the registry count proves that companies are missing. */
export const PROVEN_FACTOR = 1.5;
/** The searches that confirm a reached count. */
export const CHECK_SEARCHES = 10;
/** The same after a search has found a company although the count was reached. */
const LOW_COUNT_CHECKS = 60;
const UNCHECKED_SHARE = 0.02;
/** Searches before these are ignored. */
const MAX_SEARCHES = 1_000;
