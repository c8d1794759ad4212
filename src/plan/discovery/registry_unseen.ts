import type { KeySpace } from './key_space.ts';
import type { ListingLimits } from './search_yield.ts';

/** The number of companies in the registry, as reported by the upstream. */
export interface RegistryCount {
  /** The count; null if the upstream reports none. */
  readonly total: number | null;
  readonly observedAtMs: number;
  /** Whether the listing of every company, or all listings since the count, show the same number of companies. */
  readonly isConfirmed?: boolean;
  /** Returns the last count received by `atMs`, or null if there is none. */
  readonly countAt: (atMs: number) => number | null;
}

/**
 * The number of unseen companies in the whole registry, from its count alone.
 *
 * With a registry count `N` and `n ≤ N` known companies, the unseen count is `N − n`. If `n` is larger by at most 2%, or
 * listings confirm the count, known companies have left the registry unnoticed, and the unseen count is 0. If `n` is
 * much larger, the count is outdated or counts something else. Then, and without a count, one page
 * of companies counts as unseen until the sent queries show more (see `UnseenCounts`).
 */
export class RegistryUnseen {
  readonly #keySpace: KeySpace;
  readonly #limits: ListingLimits;
  #registryCount: RegistryCount = { total: null, observedAtMs: 0, countAt: () => null };
  /**
   * Caches the results of `countAt`, which reads the warehouse. Choosing a call needs one result for each complete
   * listing.
   */
  readonly #earlierCounts = new Map<number, number | null>();

  constructor(keySpace: KeySpace, limits: ListingLimits) {
    this.#keySpace = keySpace;
    this.#limits = limits;
  }

  /** Sets the registry count, and returns whether it differs from the previous one. */
  setCount(registryCount: RegistryCount): boolean {
    const { total, observedAtMs } = this.#registryCount;
    this.#registryCount = registryCount;
    const isChanged = registryCount.total !== total || registryCount.observedAtMs !== observedAtMs;
    if (isChanged) this.#earlierCounts.clear();
    return isChanged;
  }

  get observedAtMs(): number {
    return this.#registryCount.observedAtMs;
  }

  /**
   * Whether there is a usable registry count. A count below the number of known companies is ignored, unless listings
   * confirm it.
   */
  get isCounted(): boolean {
    const { total, isConfirmed } = this.#registryCount;
    return total !== null && (isConfirmed === true || this.#keySpace.companies <= total);
  }

  /**
   * Returns the share of the unseen companies that have joined the registry since `listedAtMs`. A listing from that
   * time does not include them. The share is at least 1%, because the registry count does not show companies that
   * joined while as many others left. Null if unknown.
   */
  gainedShare(listedAtMs: number): number | null {
    const { total } = this.#registryCount;
    const before = total === null ? null : this.#countAt(listedAtMs);
    if (total === null || before === null || this.unseen <= 0) return null;
    return Math.min(1, Math.max(MIN_GAINED_SHARE, (total - before) / this.unseen));
  }

  #countAt(atMs: number): number | null {
    const cached = this.#earlierCounts.get(atMs);
    if (cached !== undefined) return cached;
    const count = this.#registryCount.countAt(atMs);
    this.#earlierCounts.set(atMs, count);
    return count;
  }

  get unseen(): number {
    const known = this.#keySpace.companies;
    const { total } = this.#registryCount;
    if (total !== null && this.isCounted) return Math.max(0, total - known);
    if (total !== null && known - total <= UNNOTICED_SHARE * known) return 0;
    return this.#limits.pageSize;
  }
}

/** The share of known companies that can have left the registry unnoticed. */
export const UNNOTICED_SHARE = 0.02;
const MIN_GAINED_SHARE = 0.01;
