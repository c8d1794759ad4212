import { type EstimateState, FIRST_ESTIMATES, truthOfFlags } from '../../change_rate/change_estimates.ts';
import { rateOfClass } from '../../change_rate/change_rate.ts';
import { shownShareOf } from '../../change_rate/listing_signal.ts';
import type { ExpectedYield, Knowledge, RatedRecord } from '../../knowledge.ts';
import type { Focus } from '../../planner.ts';
import { fetchYield, flaggedYield, listingYield, stillRight } from './fetch_yield.ts';

/** The weights of a new company and of a record that was never fetched. A repaired record has the weight 1. */
const WEIGHTS: Record<Focus, { readonly company: number; readonly record: number }> = {
  balanced: { company: 1, record: 1 },
  coverage: { company: 20, record: 1 },
  records: { company: 0.2, record: 4 },
  freshness: { company: 0.0125, record: 0.25 },
};

/** Returns how many new companies are worth as much as a record that was never fetched. */
export function companiesPerRecord(focus: Focus): number {
  const { company, record } = WEIGHTS[focus];
  return record / company;
}

/**
 * Computes the value of each candidate call in a common unit: the days on which one more record is up to date.
 *
 * | candidate | value |
 * |---|---|
 * | search for n new companies | w_company · n / m |
 * | record never fetched | w_record / m |
 * | flagged record | f · [1 + 1/(k + 1)] / λ |
 * | other record | φ(λ, t, o, v) |
 * | listed company | Σ_c s_c · listing yield(λ_c) |
 *
 * The focus determines the weights w. The change rates have a Gamma prior with shape k and mean m. f is the share of
 * flags that were true, and s_c is the share of companies in rate class c. `fetch_yield.ts` defines the other symbols.
 * A company that was never seen or fetched is treated as an outdated record that changes at the mean rate.
 */
export class CallValuation {
  readonly #focus: Focus;
  readonly #learned: LearnedRates;
  #finished = 0;
  /**
   * The price of a call, in days. A company or record that was never seen or fetched is worth at least this, because
   * its first fetch is right for longer than a repeated one.
   */
  priceDays = 0;
  /** Half the mean number of days between two listings of a company. */
  openDays = Number.POSITIVE_INFINITY;

  constructor(knowledge: Knowledge, focus: Focus) {
    this.#focus = focus;
    this.#learned = new LearnedRates(knowledge);
  }

  /** Returns the value of a search that is expected to find this number of new companies. */
  companies(expected: number): number {
    return expected * Math.max(WEIGHTS[this.#focus].company * this.#averageDays, this.priceDays);
  }

  /** Returns the value of fetching a record, in days, and the expected number of repaired records. */
  record({ why, rateClass, ageDays }: RatedRecord): ExpectedYield {
    const { record } = WEIGHTS[this.#focus];
    if (why === 'never_fetched')
      return { days: Math.max(record * this.#averageDays, this.priceDays), repairs: 1 };
    const ratePerDay = rateOfClass(rateClass);
    const { shown, truth, prior } = this.#learned;
    if (why === 'flagged') {
      // For a Gamma distribution with shape a, E[1/λ] = a/(a − 1) · 1/E[λ]. Here, a = k + 2.
      const uncertainty = 1 + 1 / (prior.shape + 1);
      return { days: truth * uncertainty * flaggedYield(ratePerDay), repairs: truth };
    }
    const watch = { ratePerDay, ageDays, openDays: this.openDays, shown };
    return { days: fetchYield(watch), repairs: 1 - stillRight(watch) };
  }

  /** Returns the value of listing one company again `sinceDays` after its last listing. */
  listing(sinceDays: number): number {
    const { shown } = this.#learned;
    const callCostDays = this.priceDays;
    let value = 0;
    for (const [rateClass, share] of this.#learned.classShares())
      value += share * listingYield({ ratePerDay: rateOfClass(rateClass), shown, sinceDays, callCostDays });
    return value;
  }

  /**
   * Returns the probability that a listing flags a company: Σ_c s_c · (1 − e^(−vλ_c τ)), where τ = `sinceDays` is the
   * number of days since the company was last listed.
   */
  flags(sinceDays: number): number {
    const { shown } = this.#learned;
    let flags = 0;
    for (const [rateClass, share] of this.#learned.classShares())
      flags += share * -Math.expm1(-shown * rateOfClass(rateClass) * sinceDays);
    return flags;
  }

  /** Reads the estimates again after some calls, because responses may have changed them. */
  finished(): void {
    if (++this.#finished % CALLS_BETWEEN_REFRESHES === 0) this.#learned.refresh();
  }

  /** The expected number of days until a company with the mean rate changes, which is 1/m. */
  get #averageDays(): number {
    return 1 / this.#learned.prior.meanPerDay;
  }
}

const CALLS_BETWEEN_REFRESHES = 64;

/** Caches the learned estimates and the share of companies in each rate class. */
class LearnedRates {
  readonly #knowledge: Knowledge;
  #estimates: EstimateState = FIRST_ESTIMATES;
  #shown = 0;
  #truth = 0;
  #classShares: ReadonlyMap<number, number> = new Map();
  /** The number of observations when the shares were last read. */
  #sharesReadAt = Number.NEGATIVE_INFINITY;

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge;
    this.refresh();
  }

  refresh(): void {
    this.#estimates = this.#knowledge.changeEstimates();
    this.#shown = shownShareOf(this.#estimates);
    this.#truth = truthOfFlags(this.#estimates);
  }

  get prior(): EstimateState['prior'] {
    return this.#estimates.prior;
  }

  /** v, the share of changes that a listing shows. */
  get shown(): number {
    return this.#shown;
  }

  /** f, the share of flagged companies with a changed record. */
  get truth(): number {
    return this.#truth;
  }

  /**
   * Returns the share of known companies in each rate class. The shares are read again when the number of observations
   * has increased by 5%.
   */
  classShares(): ReadonlyMap<number, number> {
    const { lessons } = this.#estimates;
    if (lessons < this.#sharesReadAt * 1.05 + 50) return this.#classShares;
    this.#sharesReadAt = lessons;
    const known = Math.max(this.#knowledge.knownCount(), 1);
    const counts = [...this.#knowledge.rateClasses()];
    this.#classShares = new Map(counts.map(([rateClass, count]) => [rateClass, count / known]));
    return this.#classShares;
  }
}
