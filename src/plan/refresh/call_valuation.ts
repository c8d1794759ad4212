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

/** How much each kind of news counts, by what the user wants first. */
const WEIGHTS: Record<Focus, { readonly company: number; readonly record: number; readonly repair: number }> =
  {
    coverage: { company: 1000, record: 1, repair: 1 },
    records: { company: 0.001, record: 4, repair: 1 },
    freshness: { company: 0.001, record: 0.25, repair: 1 },
  };

/**
 * The one currency: what any call is worth, in days for which one more company is right. A company never seen or
 * fetched counts as one that is known to be wrong and changes as often as the average.
 */
export class CallValuation {
  readonly #knowledge: Knowledge;
  readonly #focus: Focus;
  #estimates: EstimateState = FIRST_ESTIMATES;
  #shown = 0.5;
  #truth = 1;
  #classShares: ReadonlyMap<number, number> = new Map();
  #sharesReadAt = Number.NEGATIVE_INFINITY;
  /** What the calls at the margin were worth lately: the price of a call. */
  #callCostDays = 0;
  #gains: {
    readonly priceDays: number;
    readonly shown: number;
    readonly byClass: ReadonlyMap<number, number>;
  };
  readonly #listingYields = new Map<number, number>();
  /** Half the time between two listings of the same company. */
  openDays = Number.POSITIVE_INFINITY;

  constructor(knowledge: Knowledge, focus: Focus) {
    this.#knowledge = knowledge;
    this.#focus = focus;
    this.#gains = { priceDays: -1, shown: -1, byClass: new Map() };
    this.lookAgain();
  }

  /** Reads what was learned since. */
  lookAgain(): void {
    this.#estimates = this.#knowledge.changeEstimates();
    this.#shown = shownShareOf(this.#estimates);
    this.#truth = truthOfFlags(this.#estimates);
  }

  /** The share of changes that a listing shows. */
  get shown(): number {
    return this.#shown;
  }

  /** Companies that a search should find for the first time. */
  companies(expected: number): number {
    return expected * WEIGHTS[this.#focus].company * this.#averageDays;
  }

  record({ why, rateClass, ageDays }: RatedRecord): ExpectedYield {
    const weights = WEIGHTS[this.#focus];
    if (why === 'never_fetched') return { days: weights.record * this.#averageDays, repairs: 1 };
    const ratePerDay = rateOfClass(rateClass);
    if (why === 'flagged') {
      // The mean of 1/λ lies above 1 over the mean of λ, the more so the less is known of the company.
      const unsure = 1 + 1 / (this.#estimates.prior.shape + 1);
      return {
        days: weights.repair * this.#truth * unsure * flaggedYield(ratePerDay),
        repairs: this.#truth,
      };
    }
    const watch = { ratePerDay, ageDays, openDays: this.openDays, shown: this.#shown };
    return { days: weights.repair * fetchYield(watch), repairs: 1 - stillRight(watch) };
  }

  /** A company on a page, not listed for so many days. */
  listing(sinceDays: number): number {
    this.#findGains();
    const step = Math.round(Math.log(Math.max(sinceDays, 1e-3)) * 16);
    const priced = this.#listingYields.get(step);
    if (priced !== undefined) return priced;
    const worth = this.#listingYield(Math.exp(step / 16));
    this.#listingYields.set(step, worth);
    return worth;
  }

  /** Changes that a listing should show of a company not listed for so many days. */
  flags(sinceDays: number): number {
    let flags = 0;
    for (const [rateClass, share] of this.#shares())
      flags += share * -Math.expm1(-this.#shown * rateOfClass(rateClass) * sinceDays);
    return flags;
  }

  /** A call was chosen: the price follows the cheapest tenth of what is chosen. */
  chosen(days: number): void {
    if (days <= 0 || days === Number.POSITIVE_INFINITY) return;
    if (this.#callCostDays === 0) this.#callCostDays = days;
    else this.#callCostDays *= days < this.#callCostDays ? 1 - STEP * (1 - MARGIN) : 1 + STEP * MARGIN;
  }

  get #averageDays(): number {
    return 1 / this.#estimates.prior.meanPerDay;
  }

  #listingYield(sinceDays: number): number {
    let worth = 0;
    for (const [rateClass, share] of this.#shares()) {
      const gainPerDay = this.#gains.byClass.get(rateClass) ?? 0;
      if (gainPerDay === 0) continue;
      const ratePerDay = rateOfClass(rateClass);
      worth += share * listingYield({ ratePerDay, shown: this.#shown, sinceDays, gainPerDay });
    }
    return WEIGHTS[this.#focus].repair * worth;
  }

  #findGains(): void {
    const { priceDays, shown } = this.#gains;
    const isNear = (a: number, b: number) => Math.abs(a - b) <= 0.02 * Math.abs(b);
    if (isNear(this.#callCostDays, priceDays) && isNear(this.#shown, shown)) return;
    this.#gains = {
      priceDays: this.#callCostDays,
      shown: this.#shown,
      byClass: gainsPerDay(this.#callCostDays / WEIGHTS[this.#focus].repair, this.#shown),
    };
    this.#listingYields.clear();
  }

  /**
   * The share of known companies in each class of rates; read again only now and then. A company's class is what is
   * expected of it: its true rate lies about it, and listings are worth less for that.
   */
  #shares(): ReadonlyMap<number, number> {
    const learned = this.#estimates.lessons;
    if (learned < this.#sharesReadAt * 1.05 + 50) return this.#classShares;
    this.#sharesReadAt = learned;
    const known = Math.max(this.#knowledge.knownCount(), 1);
    const shape = this.#estimates.prior.shape + 1;
    const shares = new Float64Array(RATE_CLASSES.length);
    for (const [rateClass, count] of this.#knowledge.rateClasses()) {
      const weights = classWeights({ shape, meanPerDay: rateOfClass(rateClass) });
      weights.forEach((weight, at) => {
        shares[at] = (shares[at] as number) + (weight * count) / known;
      });
    }
    this.#classShares = new Map(RATE_CLASSES.map((rateClass, at) => [rateClass, shares[at] as number]));
    this.#listingYields.clear();
    return this.#classShares;
  }
}

const MARGIN = 0.1;
const STEP = 0.02;
