import type { Dialect } from '../../dialect/dialect.ts';
import type { Knowledge, QueryState } from '../../knowledge.ts';
import { countOfAll, isOfAll, listingOfAll } from '../registry_size.ts';
import type { RegistryCount } from './registry_unseen.ts';

/**
 * The counts that the upstream reports, as discovery uses them. All responses of a run have the start of the run as their
 * time at the latest, so none of them makes another one outdated.
 */
export class ReportedCounts {
  readonly #knowledge: Knowledge;
  readonly #dialect: Dialect;
  readonly #startedAtMs: number;
  /** The state of the empty query; null: it was not sent, or does not list every company. */
  #emptyQuery: QueryState | null;

  constructor(options: {
    readonly knowledge: Knowledge;
    readonly dialect: Dialect;
    readonly startedAtMs: number;
  }) {
    this.#knowledge = options.knowledge;
    this.#dialect = options.dialect;
    this.#startedAtMs = options.startedAtMs;
    this.#emptyQuery = listingOfAll(this.#knowledge.queries(), this.#dialect);
  }

  /** Does the empty query list every company? */
  get listsAll(): boolean {
    return this.#dialect.search.min_length === 0;
  }

  /** Can the listing of every company be started or continued? */
  get isListingOfAllOpen(): boolean {
    return this.listsAll && (this.#emptyQuery?.status ?? 'open') === 'open';
  }

  recordResponse(state: QueryState): void {
    if (isOfAll(state) && this.listsAll) this.#emptyQuery = state;
  }

  /** By the statistics, or else by the empty query. */
  registryCount(): RegistryCount {
    const { total, observedAtMs, isByStatistics } = this.#latestCount();
    const countAt = (atMs: number) => (isByStatistics ? this.#knowledge.registryCountAt(atMs) : null);
    return { total, observedAtMs: this.#timeInRun(observedAtMs), countAt };
  }

  #latestCount() {
    const stats = { ...(this.#knowledge.latestStats() ?? NO_COUNT), isByStatistics: true };
    if (stats.total !== null || this.#emptyQuery === null) return stats;
    const total = countOfAll(this.#emptyQuery, this.#dialect);
    if (total === null) return stats;
    return { total, observedAtMs: this.#emptyQuery.listedAtMs, isByStatistics: false };
  }

  /** The state without a clamped total: such a total is only a lower bound. */
  withUsableTotal(state: QueryState): QueryState {
    const clampedAt = this.#dialect.search.total_clamped_at ?? Number.POSITIVE_INFINITY;
    const isClamped = state.total !== null && state.total >= clampedAt;
    const listedAtMs = this.#timeInRun(state.listedAtMs);
    return { ...state, total: isClamped ? null : state.total, listedAtMs };
  }

  #timeInRun(receivedAtMs: number): number {
    return Math.min(receivedAtMs, this.#startedAtMs);
  }
}

const NO_COUNT = { total: null, observedAtMs: 0 };
