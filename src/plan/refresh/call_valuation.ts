import {
  type EstimateState,
  FIRST_ESTIMATES,
  shownShareOf,
  truthOfFlags,
} from '../../change_rate/change_estimates.ts';
import { classWeights, RATE_CLASSES, rateOfClass } from '../../change_rate/change_rate.ts';
import type { ExpectedYield, Knowledge, RatedRecord } from '../../knowledge.ts';
import type { Focus } from '../../planner.ts';
import { fetchYield, flaggedYield, gainsPerDay, listingYield, stillRight } from './fetch_yield.ts';

/** The weights of a new company, of a record never fetched, and of a repaired record. */
const WEIGHTS: Record<Focus, { readonly company: number; readonly record: number; readonly repair: number }> =
  {
    coverage: { company: 1000, record: 1, repair: 1 },
    records: { company: 0.001, record: 4, repair: 1 },
    freshness: { company: 0.001, record: 0.25, repair: 1 },
  };

/**
 * Values every candidate call in one unit: days for which one more company is right.
 *
 * | candidate | value |
 * |---|---|
 * | search for n new companies | w_company · n / m |
 * | record never fetched | w_record / m |
 * | flagged record | w_repair · f · [1 + 1/(k + 1)] / λ |
 * | other record | w_repair · φ(λ, t, o, v) |
 * | listed company | w_repair · Σ_c s_c · listing yield(λ_c) |
 *
 * The weights w come from the focus. Shape k and mean m belong to the Gamma prior of the rates, f is the share of true
 * flags, and s_c is the share of companies in rate class c. `fetch_yield.ts` defines the other symbols. A company never
 * seen or fetched counts as a record that is known to be wrong and changes at the mean rate.
 */
export class CallValuation {
  readonly #focus: Focus;
  readonly #learned: LearnedRates;
  readonly #listings: ListingYields;
  /** μ, the value of the least valuable calls that are chosen; 0: none was chosen yet. */
  #callCostDays = 0;
  /** Half the mean time between two listings of a company. */
  openDays = Number.POSITIVE_INFINITY;

  constructor(knowledge: Knowledge, focus: Focus) {
    this.#focus = focus;
    this.#learned = new LearnedRates(knowledge);
    this.#listings = new ListingYields(this.#learned);
  }

  /** Reads the estimates again: responses may have changed them. */
  refreshEstimates(): void {
    this.#learned.refresh();
  }

  /** The value of a search, by the companies that it should find for the first time. */
  companies(expected: number): number {
    return expected * WEIGHTS[this.#focus].company * this.#averageDays;
  }

  /** The value of fetching a record. */
  record({ why, rateClass, ageDays }: RatedRecord): ExpectedYield {
    const weights = WEIGHTS[this.#focus];
    if (why === 'never_fetched') return { days: weights.record * this.#averageDays, repairs: 1 };
    const ratePerDay = rateOfClass(rateClass);
    const { shown, truth, prior } = this.#learned;
    if (why === 'flagged') {
      // E[1/λ] = a/(a − 1) · 1/E[λ] for a Gamma distribution of shape a; here a = k + 2.
      const uncertainty = 1 + 1 / (prior.shape + 1);
      return { days: weights.repair * truth * uncertainty * flaggedYield(ratePerDay), repairs: truth };
    }
    const watch = { ratePerDay, ageDays, openDays: this.openDays, shown };
    return { days: weights.repair * fetchYield(watch), repairs: 1 - stillRight(watch) };
  }

  /** The value of a company on a page, listed `sinceDays` ago. */
  listing(sinceDays: number): number {
    const { repair } = WEIGHTS[this.#focus];
    return repair * this.#listings.at(sinceDays, this.#callCostDays / repair);
  }

  /** Σ_c s_c · (1 − e^(−vλ_c τ)): the probability that a listing flags a company listed τ = `sinceDays` ago. */
  flags(sinceDays: number): number {
    const { shown } = this.#learned;
    let flags = 0;
    for (const [rateClass, share] of this.#learned.readClassShares())
      flags += share * -Math.expm1(-shown * rateOfClass(rateClass) * sinceDays);
    return flags;
  }

  /**
   * Learns μ from the value of a chosen call. μ follows the 10 % quantile of these values by stochastic approximation
   * (Robbins and Monro 1951), in multiplicative steps.
   */
  chosen(days: number): void {
    if (days <= 0 || days === Number.POSITIVE_INFINITY) return;
    if (this.#callCostDays === 0) this.#callCostDays = days;
    else this.#callCostDays *= days < this.#callCostDays ? 1 - STEP * (1 - QUANTILE) : 1 + STEP * QUANTILE;
  }

  /** 1/m: days until the next change of the average company. */
  get #averageDays(): number {
    return 1 / this.#learned.prior.meanPerDay;
  }
}

const QUANTILE = 0.1;
const STEP = 0.02;

/** The learned estimates, and the shares of companies by class. Both are read again only after new evidence. */
class LearnedRates {
  readonly #knowledge: Knowledge;
  #estimates: EstimateState = FIRST_ESTIMATES;
  #shown = 0;
  #truth = 0;
  #classShares: ReadonlyMap<number, number> = new Map();
  /** The learning steps at which the shares were read. */
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

  /** f, the share of flagged companies whose record had changed. */
  get truth(): number {
    return this.#truth;
  }

  /** The shares read last. */
  get classShares(): ReadonlyMap<number, number> {
    return this.#classShares;
  }

  /**
   * The share of known companies in each class of rates, read again if 5 % more was learned. The class of a company comes from its expected rate. The true
   * rates scatter around it, by a Gamma distribution of shape k + 1, and the scatter lowers the value of listings.
   */
  readClassShares(): ReadonlyMap<number, number> {
    const { lessons, prior } = this.#estimates;
    if (lessons < this.#sharesReadAt * 1.05 + 50) return this.#classShares;
    this.#sharesReadAt = lessons;
    const known = Math.max(this.#knowledge.knownCount(), 1);
    const shares = new Float64Array(RATE_CLASSES.length);
    for (const [rateClass, count] of this.#knowledge.rateClasses()) {
      const weights = classWeights({ shape: prior.shape + 1, meanPerDay: rateOfClass(rateClass) });
      weights.forEach((weight, at) => {
        shares[at] = (shares[at] as number) + (weight * count) / known;
      });
    }
    this.#classShares = new Map(RATE_CLASSES.map((rateClass, at) => [rateClass, shares[at] as number]));
    return this.#classShares;
  }
}

/** Listing yields of the average company by days since its listing, in steps of 1/16 of the logarithm. */
class ListingYields {
  readonly #learned: LearnedRates;
  readonly #byStep = new Map<number, number>();
  /** The gain per day of each class of rates, and the call cost and shown share that gave it. */
  #gains = { callCostDays: -1, shown: -1, byClass: new Map() as ReadonlyMap<number, number> };
  #classShares: ReadonlyMap<number, number>;

  constructor(learned: LearnedRates) {
    this.#learned = learned;
    this.#classShares = learned.classShares;
  }

  at(sinceDays: number, callCostDays: number): number {
    this.#updateGains(callCostDays);
    this.#adopt(this.#learned.classShares);
    const step = Math.round(Math.log(Math.max(sinceDays, 1e-3)) * 16);
    const cached = this.#byStep.get(step);
    if (cached !== undefined) return cached;
    this.#adopt(this.#learned.readClassShares());
    const value = this.#compute(Math.exp(step / 16));
    this.#byStep.set(step, value);
    return value;
  }

  /** Differences of 2 % change the gains too little for a new computation. */
  #updateGains(callCostDays: number): void {
    const { shown } = this.#learned;
    if (isNear(callCostDays, this.#gains.callCostDays) && isNear(shown, this.#gains.shown)) return;
    this.#gains = { callCostDays, shown, byClass: gainsPerDay(callCostDays, shown) };
    this.#byStep.clear();
  }

  #adopt(classShares: ReadonlyMap<number, number>): void {
    if (classShares === this.#classShares) return;
    this.#classShares = classShares;
    this.#byStep.clear();
  }

  #compute(sinceDays: number): number {
    const { shown } = this.#learned;
    let value = 0;
    for (const [rateClass, share] of this.#classShares) {
      const gainPerDay = this.#gains.byClass.get(rateClass) ?? 0;
      if (gainPerDay === 0) continue;
      value += share * listingYield({ ratePerDay: rateOfClass(rateClass), shown, sinceDays, gainPerDay });
    }
    return value;
  }
}

function isNear(value: number, reference: number): boolean {
  return Math.abs(value - reference) <= 0.02 * Math.abs(reference);
}
