import type { SearchQuery } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import type { Knowledge, QueryState } from '../../knowledge.ts';
import { checkedRows, ROUND_LIMIT, rowsThatCheck } from '../../whole_listing.ts';
import { isOfAll, latestCount, listingOfAll } from '../registry_size.ts';
import type { RegistryCount } from './registry_unseen.ts';

/**
 * Provides the counts that the upstream reports. All responses in this run count as received at its start, so that none
 * of them makes another response outdated.
 */
export class ReportedCounts {
  readonly #knowledge: Knowledge;
  readonly #dialect: Dialect;
  readonly #startedAtMs: number;
  /** The clamp, which is the largest total that the upstream reports; Infinity if totals are exact. */
  #clampedAt: number;
  /** The empty query's state; null if the query was not sent or does not list every company. */
  #emptyQuery: QueryState | null;
  /** The number of rows of other searches that check the listing of all companies. */
  #rowsBeside: number;

  constructor(options: {
    readonly knowledge: Knowledge;
    readonly dialect: Dialect;
    readonly startedAtMs: number;
  }) {
    this.#knowledge = options.knowledge;
    this.#dialect = options.dialect;
    this.#startedAtMs = options.startedAtMs;
    this.#clampedAt = this.#documentedClamp;
    const queries = this.listsAll ? [...this.#knowledge.queries()] : [];
    this.#emptyQuery = listingOfAll(queries, this.#dialect);
    this.#rowsBeside = checkedRows(queries, this.#emptyQuery);
  }

  /** Whether the empty query lists every company. */
  get listsAll(): boolean {
    return this.#dialect.search.min_length === 0;
  }

  /** Whether the empty query lists every company and another of its pages can be requested. */
  get isListingOfAllOpen(): boolean {
    return this.listsAll && (this.#emptyQuery?.status ?? 'open') === 'open';
  }

  recordResponse(state: QueryState): void {
    if ((state.total ?? 0) > this.#clampedAt) this.#clampedAt = this.#documentedClamp;
    if (!isOfAll(state)) this.#rowsBeside += state.pages === 1 ? rowsThatCheck(state, this.#emptyQuery) : 0;
    else if (this.listsAll) {
      if (state.listedAtMs !== this.#emptyQuery?.listedAtMs) this.#rowsBeside = 0;
      this.#emptyQuery = state;
    }
  }

  /** Returns the registry count from the statistics or from the empty query (see `latestCount`). */
  registryCount(): RegistryCount {
    const count = latestCount(this.#knowledge, this.#emptyQuery, this.#dialect, this.#rowsBeside);
    const countAt = (atMs: number) =>
      count?.isByStatistics === true ? this.#knowledge.registryCountAt(atMs) : null;
    return {
      total: count?.total ?? null,
      observedAtMs: this.#timeInRun(count?.observedAtMs ?? 0),
      isConfirmed: count?.isConfirmed ?? false,
      countAt,
    };
  }

  /**
   * Infers a clamp that the dialect does not define, and returns whether a clamp was inferred. The largest total is a
   * clamp if it is round and its query matches more known companies than that. `knownBy` counts the known companies
   * that match a query.
   */
  inferClamp(knownBy: (query: SearchQuery) => number): boolean {
    const counted = [...this.#knowledge.queries()].filter((state) => !isOfAll(state));
    const largest = Math.max(0, ...counted.map(({ total }) => total ?? 0));
    if (largest === 0 || largest % ROUND_LIMIT !== 0 || largest >= this.#clampedAt) return false;
    if (!counted.some(({ query, total }) => total === largest && knownBy(query) > largest)) return false;
    this.#clampedAt = largest;
    return true;
  }

  /**
   * Returns a query's state for discovery. A clamped total is replaced with null, because it is only a lower bound. A
   * listing that ends at an inferred clamp is truncated.
   */
  withUsableTotal(state: QueryState): QueryState {
    const { total, status, rows } = state;
    // If the upstream has offered another page after as many rows, the total is only a lower bound.
    const isExceeded = status === 'open' && total !== null && rows >= total;
    const isClamped = total !== null && (total >= this.#clampedAt || isExceeded);
    const endsAtClamp = status === 'complete' && total === rows && total < this.#documentedClamp;
    return {
      ...state,
      total: isClamped ? null : total,
      status: isClamped && endsAtClamp ? 'capped' : status,
      listedAtMs: this.#timeInRun(state.listedAtMs),
    };
  }

  get #documentedClamp(): number {
    return this.#dialect.search.total_clamped_at ?? Number.POSITIVE_INFINITY;
  }

  #timeInRun(receivedAtMs: number): number {
    return Math.min(receivedAtMs, this.#startedAtMs);
  }
}
