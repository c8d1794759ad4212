/**
 * How often a company changes, as far as the mirror has seen. Rates are per day; a company's own rate comes from
 * a Gamma prior of its class and from what its fetches and listings showed (Cho and Garcia-Molina 2003).
 */

/** The Gamma distribution of rates in a class of companies. */
export interface RatePrior {
  readonly shape: number;
  readonly meanPerDay: number;
}

/** What was seen of one company: spans of days in which it changed at least once, and days in which it did not. */
export interface Evidence {
  /** Spans that ended in a change. */
  readonly changes: number;
  /** Days in these spans together, and the sum of the logarithms of each. */
  readonly changingDays: number;
  readonly changingLog: number;
  /** Days without a change. */
  readonly steadyDays: number;
}

export const NO_EVIDENCE: Evidence = { changes: 0, changingDays: 0, changingLog: 0, steadyDays: 0 };

/** Before anything was seen: about one change in 400 days, and little certainty that companies are alike. */
export const FIRST_PRIOR: RatePrior = { shape: 1, meanPerDay: 2 ** (-26 / 3) };

/**
 * The rate that is expected of a company: (k + ΣX) / (k/m + Σt), where a span that showed a change counts
 * X = λt / (1 − e^(−λt)) changes.
 */
export function rateOf(evidence: Evidence, { shape, meanPerDay }: RatePrior): number {
  const { changes, changingDays, steadyDays } = evidence;
  const days = shape / meanPerDay + changingDays + steadyDays;
  let rate = (shape + changes) / days;
  if (changes === 0 || changingDays === 0) return rate;
  // The number of changes in a span depends on the rate: a few rounds settle it.
  for (let round = 0; round < 6; round++) {
    const perSpan = (rate * changingDays) / changes;
    rate = (shape + (perSpan < 1e-6 ? changes : (changes * perSpan) / -Math.expm1(-perSpan))) / days;
  }
  return rate;
}

/** A day span in which a change would have been noticed with this chance. */
export interface Span {
  /** Days of it that a listing covered without showing a change. */
  readonly coveredDays: number;
  /** Days since then, in which nobody looked. */
  readonly openDays: number;
}

/** Evidence after a record was fetched. `shown`: the share of changes that a listing shows. */
export function afterFetch(
  evidence: Evidence,
  { coveredDays, openDays }: Span,
  { changed, shown }: { readonly changed: boolean; readonly shown: number },
): Evidence {
  if (!changed) return { ...evidence, steadyDays: evidence.steadyDays + coveredDays + openDays };
  return withChange(evidence, (1 - shown) * coveredDays + openDays, shown * coveredDays);
}

/** Evidence after a listing showed a change: it happened in the open days, and none was shown before. */
export function afterFlag(evidence: Evidence, { coveredDays, openDays }: Span, shown: number): Evidence {
  return withChange(evidence, shown * openDays, shown * coveredDays);
}

function withChange(evidence: Evidence, changingDays: number, steadyDays: number): Evidence {
  return {
    changes: evidence.changes + 1,
    changingDays: evidence.changingDays + changingDays,
    changingLog: evidence.changingLog + Math.log(Math.max(changingDays, LEAST_SPAN_DAYS)),
    steadyDays: evidence.steadyDays + steadyDays,
  };
}

const LEAST_SPAN_DAYS = 0.01;

/** Evidence of a company that was fetched, and has been listed since without a change to see. */
export function withListings(evidence: Evidence, coveredDays: number, shown: number): Evidence {
  return { ...evidence, steadyDays: evidence.steadyDays + shown * coveredDays };
}

/** Classes of rates, three to a doubling: what is looked up by class and age needs no scan. */
export const SLOWEST_CLASS = -48;
export const FASTEST_CLASS = 9;
export const FIRST_CLASS = -26;

export function classOfRate(ratePerDay: number): number {
  const nearest = Math.round(3 * Math.log2(ratePerDay));
  return Math.max(SLOWEST_CLASS, Math.min(FASTEST_CLASS, nearest));
}

/** The classes, the slowest first. */
export const RATE_CLASSES: readonly number[] = Array.from(
  { length: FASTEST_CLASS - SLOWEST_CLASS + 1 },
  (_, at) => SLOWEST_CLASS + at,
);

/** How a Gamma distribution of rates falls on the classes, which are even on a logarithmic scale. */
export function classWeights({ shape, meanPerDay }: RatePrior): Float64Array {
  const weights = Float64Array.from(RATE_CLASSES, (rateClass) => {
    const times = rateOfClass(rateClass) / meanPerDay;
    return Math.exp(shape * (Math.log(times) - times));
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

export function rateOfClass(rateClass: number): number {
  return 2 ** (rateClass / 3);
}
