/**
 * The change rate of one company.
 *
 * Changes follow a Poisson process with the rate λ per day. A fetch shows only whether the record has changed at least
 * once in the t days since the last fetch (a span). Cho and Garcia-Molina ("Estimating frequency of change", ACM TOIT
 * 3(3), 2003) estimate rates from such incomplete observations. For companies with few observations, the estimate also
 * needs a prior: a Gamma distribution with shape k and mean m, which all companies share.
 */

/** The Gamma prior for the rates. */
export interface RatePrior {
  /** The shape k. */
  readonly shape: number;
  /** The mean m, in changes per day. */
  readonly meanPerDay: number;
}

/** One company's observed spans, with and without changes. */
export interface Evidence {
  /** The number of spans with at least one change. */
  readonly changes: number;
  /** The total length of the spans with a change, in days. */
  readonly changingDays: number;
  /** The total length of the spans without a change, in days. */
  readonly steadyDays: number;
}

export const NO_EVIDENCE: Evidence = { changes: 0, changingDays: 0, steadyDays: 0 };

/** The prior before any evidence: about one change in 400 days, with widely varying rates. */
export const FIRST_PRIOR: RatePrior = { shape: 1, meanPerDay: 2 ** (-26 / 3) };

/**
 * A company's expected rate: λ̂ = (k + ΣX) / (k/m + Σt).
 *
 * Σt is the total length of all observed spans. X is the expected number of changes in a span. For a span without a
 * change, X = 0. For a span with at least one change, X = λt / (1 − e^(−λt)), where t is the mean length of these
 * spans. Because X depends on λ, λ̂ is computed by fixed-point iteration. Six rounds suffice.
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

/**
 * Fits the prior's mean to the evidence on a sample of companies by expectation maximisation: m ← mean of λ̂ over the
 * sample, six times. The shape does not change. If fewer than 50 companies have evidence, the previous prior is returned.
 */
export function fitPrior(sample: readonly Evidence[], before: RatePrior): RatePrior {
  const observed = sample.filter(({ changes, steadyDays }) => changes + steadyDays > 0);
  if (observed.length < MIN_SAMPLE) return before;
  let prior = before;
  for (let round = 0; round < ROUNDS; round++) {
    const sum = observed.reduce((total, evidence) => total + rateOf(evidence, prior), 0);
    prior = { ...before, meanPerDay: sum / observed.length };
  }
  return prior;
}

const MIN_SAMPLE = 50;

/** The span since a company's last fetch, split in two. */
export interface Span {
  /** The number of days from the last fetch to the last listing, if that listing showed no change. */
  readonly coveredDays: number;
  /** The number of days since that listing, in which nothing was observed. */
  readonly openDays: number;
}

/**
 * Adds a fetch to the evidence. `shown` is v, the share of changes that a listing shows. If the fetch found no change,
 * all its days are steady. Otherwise, `v · covered` days are steady, because listings showed no change on them. The
 * remaining days form one span that contains a change.
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
 * Adds a listing that showed a change to the evidence. v · open days form a span with a change, and v · covered days
 * are steady, because earlier listings showed no change in them.
 */
export function afterFlag(evidence: Evidence, { coveredDays, openDays }: Span, shown: number): Evidence {
  return withChange(evidence, shown * openDays, shown * coveredDays);
}

function withChange(evidence: Evidence, changingDays: number, steadyDays: number): Evidence {
  return {
    changes: evidence.changes + 1,
    changingDays: evidence.changingDays + changingDays,
    steadyDays: evidence.steadyDays + steadyDays,
  };
}

const ROUNDS = 6;

/** Adds v · covered steady days to the evidence, because listings showed no change in the covered days. */
export function withListings(evidence: Evidence, coveredDays: number, shown: number): Evidence {
  return { ...evidence, steadyDays: evidence.steadyDays + shown * coveredDays };
}

/**
 * Rate classes: class c has the rate 2^(c/3) changes per day. Because rates are stored as classes, an index by class
 * and age finds due records quickly.
 */
export const SLOWEST_CLASS = -48;
export const FASTEST_CLASS = 9;
export const FIRST_CLASS = -26;

export function classOfRate(ratePerDay: number): number {
  const nearest = Math.round(3 * Math.log2(ratePerDay));
  return Math.max(SLOWEST_CLASS, Math.min(FASTEST_CLASS, nearest));
}

export function rateOfClass(rateClass: number): number {
  return 2 ** (rateClass / 3);
}
