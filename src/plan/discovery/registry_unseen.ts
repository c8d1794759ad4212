import type { KeySpace } from './key_space.ts';
import type { Limits } from './search_yield.ts';

/** The number of companies that the registry reports. */
export interface RegistryCount {
  /** null: the registry reports none. */
  readonly total: number | null;
  readonly observedAtMs: number;
  /** The count that was the latest at a time; null: none was received by then. */
  readonly countAt: (atMs: number) => number | null;
}

/**
 * Estimates the unseen companies of the whole registry.
 *
 * With a registry count `N` and `n ≤ N` known companies, the unseen count is `N − n`. Otherwise let `f` be the share of new
 * companies on recent pages. Each page updates it: `f ← f + 0.1 · (share − f)`.
 *
 * It estimates the probability that a listed company is new, so `1 − f` estimates the sample coverage, and `N ≈ n / (1 − f)`.
 * The unseen count is `max(P, n · f / (1 − f))`, with page size `P` and `f` capped at ½.
 *
 * Good, "The population frequencies of species and the estimation of population parameters" (Biometrika 40, 1953) derives the
 * coverage from singletons, the Good-Turing estimate. The decayed share replaces it, because queries do not sample at random.
 */
export class RegistryUnseen {
  readonly #keySpace: KeySpace;
  readonly #limits: Limits;
  #registryCount: RegistryCount = { total: null, observedAtMs: 0, countAt: () => null };
  /** `f`, before the cap. */
  #newShare = 1;

  constructor(keySpace: KeySpace, limits: Limits) {
    this.#keySpace = keySpace;
    this.#limits = limits;
  }

  /** Sets the registry count; returns whether it differs from the last one. */
  setCount(registryCount: RegistryCount): boolean {
    const { total, observedAtMs } = this.#registryCount;
    this.#registryCount = registryCount;
    return registryCount.total !== total || registryCount.observedAtMs !== observedAtMs;
  }

  get observedAtMs(): number {
    return this.#registryCount.observedAtMs;
  }

  /** `share`: of the companies on one page, those that were new. */
  addPage(share: number): void {
    this.#newShare += SMOOTHING * (share - this.#newShare);
  }

  /** Does the registry report a count that is not below the number of known companies? A lower count is no evidence. */
  get isCounted(): boolean {
    const { total } = this.#registryCount;
    return total !== null && this.#keySpace.companies <= total;
  }

  /**
   * The share of the unseen companies that the registry has gained since `listedAtMs`: only they can be missing from a
   * listing that was complete then. At least 1 %, because companies that left the registry hide others that joined it.
   * null: unknown.
   */
  gainedShare(listedAtMs: number): number | null {
    const { total, countAt } = this.#registryCount;
    const before = total === null ? null : countAt(listedAtMs);
    if (total === null || before === null || this.unseen <= 0) return null;
    return Math.min(1, Math.max(MIN_GAINED_SHARE, (total - before) / this.unseen));
  }

  get unseen(): number {
    const known = this.#keySpace.companies;
    if (this.isCounted) return (this.#registryCount.total as number) - known;
    const share = Math.min(this.#newShare, HALF);
    return Math.max(this.#limits.pageSize, (known * share) / (1 - share));
  }
}

const HALF = 0.5;
const MIN_GAINED_SHARE = 0.01;
const SMOOTHING = 0.1;
