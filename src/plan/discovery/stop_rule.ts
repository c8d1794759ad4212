import type { Knowledge } from '../../knowledge.ts';

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
 * Let `M` be the number of missing companies. Discovery ends after `60 + 8·√M` searches in a row without a new company,
 * or 1.5 times as many if the registry count proves that companies are missing. The rule and its constants are empirical
 * (docs/planner.md).
 */
export class StopRule {
  /** Reset to 0 when the registry count changes. */
  #emptySearches = 0;
  /** The number of companies found since ten searches in a row last found none. */
  #uncheckedFinds = 0;

  constructor(knowledge: Pick<Knowledge, 'newBySearches'>) {
    for (const found of latestSearches(knowledge).reverse()) this.record(found);
  }

  /** The number of searches in a row without a new company. */
  get emptySearches(): number {
    return this.#emptySearches;
  }

  record(found: number): void {
    this.#emptySearches = found > 0 ? 0 : this.#emptySearches + 1;
    this.#uncheckedFinds = this.#emptySearches >= CHECK_SEARCHES ? 0 : this.#uncheckedFinds + found;
  }

  /**
   * Returns whether a registry count that equals the number of known companies is trusted. Statistics can report too few
   * companies, so ten searches in a row must have found nothing since the last 2% of the companies were found.
   */
  isCountChecked(known: number): boolean {
    return this.#uncheckedFinds <= UNCHECKED_SHARE * known;
  }

  /** Resets the rule after the registry count has changed, because the companies missing now may be reachable. */
  reset(): void {
    this.#emptySearches = 0;
  }

  /**
   * Returns whether the limit is reached. The limit is at least `minSearches`. It is half as high again if the registry
   * count proves that the companies are missing.
   */
  isOver({ missing, isProven = false, minSearches = 0 }: StopQuestion): boolean {
    const limit = stopAfter(missing) * (isProven ? PROVEN_FACTOR : 1);
    return this.#emptySearches >= Math.max(minSearches, limit);
  }
}

/** Returns after how many searches in a row without a new company discovery gives up, if the registry is not counted. */
export function stopAfter(missing: number): number {
  return LIMIT + LIMIT_PER_ROOT * Math.sqrt(missing);
}

/** Returns how many new companies each recent search found, most recent search first. */
function latestSearches(knowledge: Pick<Knowledge, 'newBySearches'>): number[] {
  const latest: number[] = [];
  for (const found of knowledge.newBySearches()) {
    latest.push(found);
    if (latest.length === MAX_SEARCHES) break;
  }
  return latest;
}

const LIMIT = 60;
const LIMIT_PER_ROOT = 8;
const PROVEN_FACTOR = 1.5;
/** The searches that confirm a reached count. */
export const CHECK_SEARCHES = 10;
const UNCHECKED_SHARE = 0.02;
const MAX_SEARCHES = 1_000;
