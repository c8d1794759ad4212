import type { Knowledge } from '../../knowledge.ts';

/**
 * Decides when discovery gives up unreachable companies.
 *
 * Let `M` be the missing companies and `s` the searches in a row without a new company. Discovery ends if `s ≥ 120 + 10·√M`.
 * It ends earlier, if `s ≥ 40 + 8·√M`, while finds are rare: `F < 0.5`. `F` is the decayed number of recent searches with a
 * new company, `F ← 0.99·F + [found]`, over about the last 100 searches. So a single find after a long time resets `s`, but
 * not the lower limit. The rule and its constants are empirical (docs/planner.md).
 */
export class StopRule {
  /** `s`, since the registry count last changed. */
  #emptySearches = 0;
  /** `F`. */
  #recentFinds = INITIAL_FINDS;

  constructor(knowledge: Knowledge) {
    for (const found of latestSearches(knowledge).reverse()) this.record(found > 0);
  }

  /** Searches in a row without a new company. */
  get emptySearches(): number {
    return this.#emptySearches;
  }

  record(hasFound: boolean): void {
    this.#emptySearches = hasFound ? 0 : this.#emptySearches + 1;
    this.#recentFinds = this.#recentFinds * MEMORY + (hasFound ? 1 : 0);
  }

  /** Resets the rule after a change of the registry count: the missing companies may be others, and reachable. */
  reset(): void {
    this.#emptySearches = 0;
    this.#recentFinds = INITIAL_FINDS;
  }

  /** `minSearches`: a lower bound of the limit. */
  isOver(missing: number, minSearches = 0): boolean {
    return this.#emptySearches >= Math.max(minSearches, this.#limit(missing));
  }

  /** Is half of the limit used? From then on the due first characters are sent, so that all are sent before the end. */
  isHalfOver(missing: number): boolean {
    return 2 * this.#emptySearches >= this.#limit(missing);
  }

  #limit(missing: number): number {
    const root = Math.sqrt(missing);
    return this.#recentFinds < RARE_FINDS
      ? SHORT_LIMIT + SHORT_LIMIT_PER_ROOT * root
      : LONG_LIMIT + LONG_LIMIT_PER_ROOT * root;
  }
}

/** New companies of the latest searches, the last one first. */
function latestSearches(knowledge: Knowledge): number[] {
  const latest: number[] = [];
  for (const found of knowledge.newBySearches()) {
    latest.push(found);
    if (latest.length === MAX_SEARCHES) break;
  }
  return latest;
}

const LONG_LIMIT = 120;
const LONG_LIMIT_PER_ROOT = 10;
const SHORT_LIMIT = 40;
const SHORT_LIMIT_PER_ROOT = 8;
const MEMORY = 0.99;
const RARE_FINDS = 0.5;
const INITIAL_FINDS = 30;
// Earlier searches have a weight below 0.99^1000 = 4e-5.
const MAX_SEARCHES = 1_000;
