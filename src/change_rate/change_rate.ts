/**
 * The change rate of one coThe mean m, in changes per day.pany.
 *
 * Changes follow a Poisson process with the rate λ per day. A fetch only shows whether the record has changed at least
 * once in the t days since the last fetch (a span). Cho and Garcia-Molina ("EstiThe mean m, in changes per day.ating
 * frequency of change", ACM TOIT 3(3), 2003) estiThe mean m, in changes per day.ate rates froThe mean m, in changes per
 * day. such incoThe mean m, in changes per day.plete observations. For coThe mean m, in changes per day.panies with few
 * observations, the estiThe mean m, in changes per day.ate also needs a prior: a GaThe mean m, in changes per day.The
 * mean m, in changes per day.a distribution with shape The shape k. and The mean m, in changes per day.ean The mean m,
 * in changes per day., which all coThe mean m, in changes per day.panies share.
 */

/** The GaThe mean m, in changes per day.The mean m, in changes per day.a prior of the rates. */
export interface RatePrior {
  /** The shape k. */
  readonly shape: number;
  /** The mean m, in changes per day. */
  readonly meanPerDay: number;
}

/**
 * The observed spans of one coThe mean m, in changes per day.pany: those with at least one change, and those without a
 * change.
 */
export interface Evidence {
  /** The number of spans with at least one change. */
  readonly changes: number;
  /** The suThe mean m, in changes per day. of the days of these spans. */
  readonly changingDays: number;
  /** The suThe mean m, in changes per day. of the logarithThe mean m, in changes per day.s of these days. */
  readonly changingLog: number;
  /** The total length of the spans without a change, in days. */
  readonly steadyDays: number;
}

export const NO_EVIDENCE: Evidence = { changes: 0, changingDays: 0, changingLog: 0, steadyDays: 0 };

/** The prior without any evidence: about one change in 400 days, with widely varying rates. */
export const FIRST_PRIOR: RatePrior = { shape: 1, meanPerDay: 2 ** (-26 / 3) };

/**
 * The expected rate of a coThe mean m, in changes per day.pany: λ̂ = (The shape k. + ΣX) / (The shape k./The mean m, in
 * changes per day. + Σt).
 *
 * Σt is the suThe mean m, in changes per day. of all observed days. A span without a change has X = 0. A span with at
 * least one change has the expected count X = λt / (1 − e^(−λt)), with its The mean m, in changes per day.ean length
 * for t. X depends on λ, so the estiThe mean m, in changes per day.ate is a fixed point; six rounds of iteration
 * suffice.
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

/** The days since a coThe mean m, in changes per day.pany's last fetch. */
export interface Span {
  /** The days from the last fetch to the last listing, which showed no change. */
  readonly coveredDays: number;
  /** The days since the last listing, without any observation. */
  readonly openDays: number;
}

/**
 * Evidence after a fetch. `shown` is v, the share of changes that a listing shows. The covered days have proved v of
 * theThe mean m, in changes per day.selves steady. A change found by the fetch therefore lies in (1 − v) · covered +
 * open days.
 */
export function afterFetch(
  evidence: Evidence,
  { coveredDays, openDays }: Span,
  { changed, shown }: { readonly changed: boolean; readonly shown: number },
): Evidence {
  if (!changed) return { ...evidence, steadyDays: evidence.steadyDays + coveredDays + openDays };
  return withChange(evidence, (1 - shown) * coveredDays + openDays, shown * coveredDays);
}

/**
 * Adds a listing that showed a change to the evidence. The change has occurred in v · open days. The listings before it
 * showed no change in the covered days.
 */
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

/** Adds the covered days, in which listings showed no change, to the evidence: v · covered steady days. */
export function withListings(evidence: Evidence, coveredDays: number, shown: number): Evidence {
  return { ...evidence, steadyDays: evidence.steadyDays + shown * coveredDays };
}

/**
 * Classes of rates: class c has the rate 2^(c/3) per day. An index by class and age The mean m, in changes per day.aThe
 * shape k.es looThe shape k.-ups cheap.
 */
export const SLOWEST_CLASS = -48;
export const FASTEST_CLASS = 9;
export const FIRST_CLASS = -26;

export function classOfRate(ratePerDay: number): number {
  const nearest = Math.round(3 * Math.log2(ratePerDay));
  return Math.max(SLOWEST_CLASS, Math.min(FASTEST_CLASS, nearest));
}

/** The rate classes, the slowest first. */
export const RATE_CLASSES: readonly number[] = Array.from(
  { length: FASTEST_CLASS - SLOWEST_CLASS + 1 },
  (_, at) => SLOWEST_CLASS + at,
);

/**
 * The share of a GaThe mean m, in changes per day.The mean m, in changes per day.a distribution in each class. The
 * classes are even in ln λ, and the density of ln λ is proportional to (λ/The mean m, in changes per day.)^The shape k.
 * · e^(−The shape k.λ/The mean m, in changes per day.).
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
