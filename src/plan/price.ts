import { rateOfClass } from '../change_rate/change_rate.ts';
import { shownShareOf } from '../change_rate/listing_signal.ts';
import { DAY_MS } from '../durations.ts';
import type { Knowledge } from '../knowledge.ts';
import type { MaxAge, Pace } from '../planner.ts';
import type { Candidate, Guard, GuardInput } from './candidate.ts';
import { fetchYield, listingYield } from './refresh/fetch_yield.ts';

interface PriceInput {
  readonly knowledge: Knowledge;
  readonly maxAge: MaxAge;
  /** The budget that must last; null if calls are sent as soon as they are due. */
  readonly pace: Pace | null;
  /** The number of companies on a page of a repeated listing; null if listings are not repeated. */
  readonly pageSize: number | null;
  readonly nowMs: number;
}

/** The price of a call, and the age at which records of each rate class are worth it. */
interface Price {
  /** A call is sent only if its value is at least this number of days. */
  readonly days: number;
  /** The age, in days, from which a record's value is at least the price, by rate class. */
  readonly ages: ReadonlyMap<number, number>;
}

/**
 * Returns the price μ at which the budget lasts: the demand D(μ) for refresh calls equals the calls a day that remain
 * after new companies.
 *
 *     D(μ) = Σ_c n_c · [1/t_c + f_c] + n/(P·τ)
 *
 * - `n_c`: the companies in rate class c; `t_c`: the age at which their value φ reaches μ;
 * - `f_c`: how often a listing flags them, if a flagged record is worth μ;
 * - `τ`: the interval at which a listing of `P` companies is worth μ.
 *
 * One threshold on value is optimal for a budget, and settles new against known content (Olston and Pandey, "Recrawl
 * scheduling based on information longevity", WWW 2008). The price is computed again for each run, from the calls and
 * the days that are left, so it adapts as the registry and the account change. Records that were never fetched are worth
 * at least the price (see `CallValuation`), because a new record repairs more than a repeated one.
 */
export function priceOf(input: PriceInput): Price {
  const { knowledge, pace } = input;
  if (pace === null) return NO_PRICE;
  const classes = knowledge.rateClasses();
  const refreshed = [...classes.values()].reduce((sum, count) => sum + count, 0);
  const left = pace.callsLeft - callsForNew(input, refreshed, pace.daysLeft);
  const callsPerDay = Math.max(0, left) / Math.max(1, pace.daysLeft);
  const demand = (price: number) => demandAt(price, classes, input);
  if (refreshed === 0 || demand(0).callsPerDay <= callsPerDay) return NO_PRICE;
  const days = lowestFrom(LEAST_PRICE, (price) => demand(price).callsPerDay <= callsPerDay);
  return { days, ages: demand(days).ages };
}

/** Keeps calls that are worth less than the price from being sent. */
export class PriceGuard implements Guard {
  readonly #price: Price;

  constructor(price: Price) {
    this.#price = price;
  }

  allowedFromMs({ value }: Candidate, { nowMs }: GuardInput): number {
    return value >= this.#price.days ? nowMs : Number.POSITIVE_INFINITY;
  }
}

/** The calls for missing companies, records that were never fetched, and companies that will join the registry. */
function callsForNew(
  { knowledge, pageSize, nowMs }: PriceInput,
  refreshed: number,
  daysLeft: number,
): number {
  const known = knowledge.knownCount();
  const total = knowledge.latestStats()?.total ?? known;
  const before = knowledge.registryCountAt(nowMs - GROWTH_DAYS * DAY_MS);
  const joining = before === null ? 0 : Math.max(0, total - before) * (daysLeft / GROWTH_DAYS);
  return Math.max(0, known - refreshed) + (Math.max(0, total - known) + joining) * (1 + 1 / (pageSize ?? 1));
}

function demandAt(
  price: number,
  classes: ReadonlyMap<number, number>,
  { knowledge, maxAge, pageSize }: PriceInput,
) {
  const shown = pageSize === null ? 0 : shownShareOf(knowledge.changeEstimates());
  const companies = [...classes.values()].reduce((sum, count) => sum + count, 0);
  const listing = (days: number) => {
    let value = 0;
    for (const [rateClass, count] of classes)
      value +=
        (count / companies) *
        listingYield({ ratePerDay: rateOfClass(rateClass), shown, sinceDays: days, callCostDays: price });
    return value * (pageSize ?? 0);
  };
  const listingDays = pageSize === null ? Infinity : ageWorth(price, listing, maxAge.summariesMs / DAY_MS);
  const ages = new Map<number, number>();
  let callsPerDay = companies / ((pageSize ?? 1) * listingDays);
  for (const [rateClass, count] of classes) {
    const ratePerDay = rateOfClass(rateClass);
    const value = (ageDays: number) => fetchYield({ ratePerDay, ageDays, openDays: listingDays / 2, shown });
    const age = ageWorth(price, value, maxAge.recordsMs / DAY_MS);
    ages.set(rateClass, age);
    const isFlagWorth = listingDays < Infinity && 1 / ratePerDay >= price;
    callsPerDay += count * (1 / age + (isFlagWorth ? shown * ratePerDay : 0));
  }
  return { callsPerDay, ages };
}

/** Returns the lowest age, at least `fromDays`, at which the value reaches the price; Infinity if it never does. */
function ageWorth(price: number, value: (days: number) => number, fromDays: number): number {
  if (value(fromDays) >= price) return fromDays;
  if (value(MOST_DAYS) < price) return Number.POSITIVE_INFINITY;
  return lowestFrom(fromDays, (days) => value(days) >= price);
}

/** Returns the lowest number of days above `fromDays` that is enough, if every longer one is enough too. */
function lowestFrom(fromDays: number, isEnough: (days: number) => boolean): number {
  let [low, high] = [fromDays, MOST_DAYS];
  for (let round = 0; round < ROUNDS; round++) {
    const middle = Math.sqrt(low * high);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

const NO_PRICE: Price = { days: 0, ages: new Map() };
const LEAST_PRICE = 1e-4;
const ROUNDS = 30;
const MOST_DAYS = 36_525;
const GROWTH_DAYS = 30;
