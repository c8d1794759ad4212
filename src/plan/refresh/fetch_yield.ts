/**
 * The value of keeping one company up to date, in days on which one more record is right.
 *
 * | symbol | name | meaning |
 * |---|---|---|
 * | λ | `ratePerDay` | changes per day; changes follow a Poisson process |
 * | t | `ageDays` | days since the last fetch |
 * | o | `openDays` | days since the last listing; c = t − o days are covered by listings |
 * | v | `shown` | the share of changes that a listing shows; such a change flags the company |
 * | μ | `callCostDays` | the price of a call: the lowest value at which the quota suffices for it |
 *
 * If listings show no changes (v = 0), this is Cho and Garcia-Molina's optimal schedule for a limited number of fetches
 * ("Effective page refresh policies for web crawlers", ACM TODS 28(4), 2003). In the form of Azar, Horvitz, Lubetzky,
 * Peres and Shahaf ("Tractable near-optimal policies for crawling", PNAS 115(32), 2018), a company is fetched as soon
 * as its index reaches μ. Listings correspond to the change signals of Kolobov et al. ("Staying up to date with online
 * content changes using reinforcement learning for scheduling", NeurIPS 2019), and flagged companies are fetched
 * immediately.
 */
interface Watch {
  readonly ratePerDay: number;
  readonly ageDays: number;
  readonly openDays: number;
  readonly shown: number;
}

/**
 * An unflagged company's index φ: the gain from a fetch now, compared with a later fetch.
 *
 * φ = R − p·L, with
 * - R = (1 − e^(−λt)) / λ, the expected number of days for which the record was right since the last fetch;
 * - p = e^(−(1−v)λt − vλo), the probability that the record is still right (`stillRight`);
 * - L = (1 − e^(−vλc)) / (vλ) + o·e^(−vλc), the expected number of days from the last fetch to a flag or, without a
 *   flag, to this fetch.
 *
 * The schedule maximises the mean gain per day between two fetches, (R − μ) / L. Its derivative with respect to t is
 * zero at φ = μ. For v = 0, φ is [1 − e^(−λt)(1 + λt)] / λ.
 */
export function fetchYield({ ratePerDay, ageDays, openDays, shown }: Watch): number {
  const shownRate = shown * ratePerDay;
  const open = Math.min(openDays, ageDays);
  const covered = ageDays - open;
  const rightDays = -Math.expm1(-ratePerDay * ageDays) / ratePerDay;
  const unflagged = Math.exp(-shownRate * covered);
  const waitDays = (shownRate < NO_RATE ? covered : (1 - unflagged) / shownRate) + unflagged * open;
  return Math.max(rightDays - stillRight({ ratePerDay, ageDays, openDays, shown }) * waitDays, 0);
}

/** p = e^(−(1−v)λt − vλo): the probability that an unflagged record is still right. */
export function stillRight({ ratePerDay, ageDays, openDays, shown }: Watch): number {
  const open = Math.min(openDays, ageDays);
  return Math.exp(-(1 - shown) * ratePerDay * ageDays - shown * ratePerDay * open);
}

/** The value of fetching a record that is known to be wrong: 1/λ, the expected number of days until the next change. */
export function flaggedYield(ratePerDay: number): number {
  return 1 / ratePerDay;
}

/**
 * The value of listing one company again: [1 − e^(−x)(1 + x)]·g / (vλ), with x = vλτ.
 *
 * The formula is φ for the rate vλ, at which listings show changes, and for the τ days since the last listing
 * (`sinceDays`). A listing does not repair a record, but causes a fetch. Each day therefore has the value g = 1 − λμ:
 * the value of a day on which the record is right, minus the cost of one fetch for each change. The value is 0 if the
 * company changes too often to be worth these fetches.
 */
export function listingYield({
  ratePerDay,
  shown,
  sinceDays,
  callCostDays,
}: {
  readonly ratePerDay: number;
  readonly shown: number;
  readonly sinceDays: number;
  readonly callCostDays: number;
}): number {
  const shownRate = ratePerDay * shown;
  const gainPerDay = 1 - ratePerDay * callCostDays;
  if (shownRate < NO_RATE || gainPerDay <= 0) return 0;
  const expectedChanges = shownRate * sinceDays;
  return (gainPerDay * (1 - Math.exp(-expectedChanges) * (1 + expectedChanges))) / shownRate;
}

/** Lower rates per day are treated as zero, because dividing by such rates would lose all precision. */
const NO_RATE = 1e-9;
