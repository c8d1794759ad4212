import { FASTEST_CLASS, rateOfClass, SLOWEST_CLASS } from '../../change_rate/change_rate.ts';

/**
 * What a fetch is worth: days for which one more record will be right, beyond what not fetching it yet would give.
 * The index of the optimal schedule under a budget (Cho and Garcia-Molina 2003; Azar et al. 2018), for a company
 * of which listings show a part of the changes and whose flag is fetched at once (Kolobov et al. 2019).
 */
export interface Watch {
  readonly ratePerDay: number;
  /** Days since the fetch. */
  readonly ageDays: number;
  /** Of these, days since the last listing: nobody looked. */
  readonly openDays: number;
  /** Share of changes that a listing shows. */
  readonly shown: number;
}

export function fetchYield({ ratePerDay, ageDays, openDays, shown }: Watch): number {
  const seenRate = shown * ratePerDay;
  const open = Math.min(openDays, ageDays);
  const covered = ageDays - open;
  // Right until a change comes, and lasting until a flag or this fetch ends it.
  const right = -Math.expm1(-ratePerDay * ageDays) / ratePerDay;
  const unflagged = Math.exp(-seenRate * covered);
  const lasting = (seenRate < 1e-9 ? covered : (1 - unflagged) / seenRate) + unflagged * open;
  return Math.max(right - stillRight({ ratePerDay, ageDays, openDays, shown }) * lasting, 0);
}

/** The chance that a record which no listing flagged is still right. */
export function stillRight({ ratePerDay, ageDays, openDays, shown }: Watch): number {
  const open = Math.min(openDays, ageDays);
  return Math.exp(-(1 - shown) * ratePerDay * ageDays - shown * ratePerDay * open);
}

/** Days until the next change: what fetching a record is worth that is known to be wrong. */
export function flaggedYield(ratePerDay: number): number {
  return 1 / ratePerDay;
}

/**
 * What one listed company adds to the worth of listing it again: how long an unseen change would go on costing,
 * by the same rule as a fetch. `gainPerDay`: what a day of this company's being right is worth after its price.
 */
export function listingYield(ask: {
  readonly ratePerDay: number;
  readonly shown: number;
  readonly sinceDays: number;
  readonly gainPerDay: number;
}): number {
  const { ratePerDay, shown, sinceDays, gainPerDay } = ask;
  const seenRate = ratePerDay * shown;
  if (seenRate < 1e-9 || gainPerDay <= 0) return 0;
  const expected = seenRate * sinceDays;
  return (gainPerDay * (1 - Math.exp(-expected) * (1 + expected))) / seenRate;
}

/**
 * For each class of rates, what a company is worth a day under the best schedule, where a call has this price;
 * 0 where it changes so fast that it is not worth its calls.
 */
export function gainsPerDay(priceDays: number, shown: number): ReadonlyMap<number, number> {
  const gains = new Map<number, number>();
  for (let rateClass = SLOWEST_CLASS; rateClass <= FASTEST_CLASS; rateClass++)
    gains.set(rateClass, gainPerDay(rateOfClass(rateClass), priceDays, shown));
  return gains;
}

function gainPerDay(ratePerDay: number, priceDays: number, shown: number): number {
  if (flaggedYield(ratePerDay) <= priceDays) return 0;
  const worth = (ageDays: number) => fetchYield({ ratePerDay, ageDays, openDays: 0, shown });
  let [low, high] = [0, 20 / ratePerDay];
  for (let round = 0; round < 24; round++) {
    const middle = (low + high) / 2;
    if (worth(middle) < priceDays) low = middle;
    else high = middle;
  }
  const seenRate = shown * ratePerDay;
  const right = -Math.expm1(-ratePerDay * high) / ratePerDay;
  const lasting = seenRate < 1e-9 ? high : -Math.expm1(-seenRate * high) / seenRate;
  return Math.max((right - priceDays) / lasting, 0);
}
