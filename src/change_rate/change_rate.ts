/**
 * The change rate of one company.
 *
 * Changes follow a Poisson process of rate λ per day. The mirror observes spans: a fetch shows only whether the record
 * changed at least once in a span of t days. Cho and Garcia-Molina ("Estimating frequency of change", ACM TOIT 3(3),
 * 2003) estimate rates from such incomplete observations. Here a Gamma prior of shape k and mean m, common to all
 * companies, supplies what a company with few observations lacks.
 */

/** The Gamma prior of the rates. */
export interface RatePrior {
  /** k */
  readonly shape: number;
  /** m */
  readonly meanPerDay: number;
}

/** The observed spans of one company: those with at least one change, and those without a change. */
export interface Evidence {
  /** Spans with a change. */
  readonly changes: number;
  /** The sum of the days of these spans. */
  readonly changingDays: number;
  /** The sum of the logarithms of these days. */
  readonly changingLog: number;
  /** The days of the spans without a change. */
  readonly steadyDays: number;
}

export const NO_EVIDENCE: Evidence = { changes: 0, changingDays: 0, changingLog: 0, steadyDays: 0 };

/** The prior before any evidence: about one change in 400 days, with rates that vary widely. */
export const FIRST_PRIOR: RatePrior = { shape: 1, meanPerDay: 2 ** (-26 / 3) };

/**
 * The expected rate of a company: λ̂ = (k + ΣX) / (k/m + Σt).
 *
 * Σt is the sum of all observed days. A span without a change has X = 0. A span with at least one change has the expected
 * count X = λt / (1 − e^(−λt)), with its mean length for t. X depends on λ, so the estimate is a fixed point; six rounds
 * of iteration suffice.
 */
export function rateOf(evidence: Evidence, { shape, meanPerDay }: RatePrior): number {
  const { changes, changingDays, steadyDays } = evidence;
  const days = shape / meanPerDay + changingDays + steadyDays;
  let rate = (shape + changes) / days;
  if (changes === 0 || changingDays === 0) return rate;
  for (let round = 0; round < ROUNDS; round++) {
    const perSpan = (rate * changingDays) / changes;
    rate = (shape + (perSpan < 1e-6 ? changes : (changes * perSpan) / -Math.expm1(-perSpan))) / days;
  }
  return rate;
}

/** The days since a company's last fetch. */
export interface Span {
  /** Days before the last listing, which showed no change. */
  readonly coveredDays: number;
  /** Days after the last listing, without any observation. */
  readonly openDays: number;
}

/**
 * Evidence after a fetch. `shown` is v, the share of changes that a listing shows. The covered days have proved v of
 * themselves steady. A change found by the fetch therefore lies in (1 − v) · covered + open days.
 */
export function afterFetch(
  evidence: Evidence,
  { coveredDays, openDays }: Span,
  { changed, shown }: { readonly changed: boolean; readonly shown: number },
): Evidence {
  if (!changed) return { ...evidence, steadyDays: evidence.steadyDays + coveredDays + openDays };
  return withChange(evidence, (1 - shown) * coveredDays + openDays, shown * coveredDays);
}

/** Evidence after a listing showed a change, which lies in v · open days. The covered days showed none. */
export function afterFlag(evidence: Evidence, { coveredDays, openDays }: Span, shown: number): Evidence {
  return withChange(evidence, shown * openDays, shown * coveredDays);
}

function withChange(evidence: Evidence, changingDays: number, steadyDays: number): Evidence {
  return {
    changes: evidence.changes + 1,
    changingDays: evidence.changingDays + changingDays,
    changingLog: evidence.changingLog + Math.log(Math.max(changingDays, MIN_SPAN_DAYS)),
    steadyDays: evidence.steadyDays + steadyDays,
  };
}

const MIN_SPAN_DAYS = 0.01;
const ROUNDS = 6;

/** Evidence that includes the days since the fetch in which listings showed no change: v · covered days. */
export function withListings(evidence: Evidence, coveredDays: number, shown: number): Evidence {
  return { ...evidence, steadyDays: evidence.steadyDays + shown * coveredDays };
}

/** Classes of rates: class c has the rate 2^(c/3) per day. An index by class and age makes look-ups cheap. */
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

/**
 * The share of a Gamma distribution in each class. The classes are even in ln λ, and the density of ln λ is
 * proportional to (λ/m)^k · e^(−kλ/m).
 */
export function classWeights({ shape, meanPerDay }: RatePrior): Float64Array {
  const weights = Float64Array.from(RATE_CLASSES, (rateClass) => {
    const ratio = rateOfClass(rateClass) / meanPerDay;
    return Math.exp(shape * (Math.log(ratio) - ratio));
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

export function rateOfClass(rateClass: number): number {
  return 2 ** (rateClass / 3);
}
