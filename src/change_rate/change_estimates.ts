import { DAY_MS } from '../durations.ts';
import {
  afterFetch,
  afterFlag,
  classOfRate,
  type Evidence,
  FIRST_PRIOR,
  fitPrior,
  type RatePrior,
  rateOf,
  rateOfClass,
  type Span,
  withListings,
} from './change_rate.ts';
import { faded, NO_SIGNAL, type Signal, shownShareOf } from './listing_signal.ts';

/** A company's stored state before it is fetched or listed again. Times are epoch milliseconds. */
export interface Watched {
  readonly evidence: Evidence;
  readonly rateClass: number;
  readonly fetchedAtMs: number | null;
  readonly listedAtMs: number | null;
  readonly isFlagged: boolean;
}

interface Rated {
  readonly evidence: Evidence;
  readonly rateClass: number;
}

/** The estimates that all companies share, as stored in the warehouse. */
export interface EstimateState {
  readonly prior: RatePrior;
  /** The expected and observed changes that show how many changes a listing shows. */
  readonly listings: Signal;
  /** How many times a flagged company was fetched. */
  readonly flagsFetched: number;
  /** How many of these fetches found no change. */
  readonly flagsFalse: number;
  /** The number of observations so far. Fetching an unflagged company counts as one, and so does flagging a company. */
  readonly lessons: number;
  /** The value of `lessons` at which the prior is next fitted. */
  readonly fitsAt: number;
}

export const FIRST_ESTIMATES: EstimateState = {
  prior: FIRST_PRIOR,
  listings: NO_SIGNAL,
  flagsFetched: 0,
  flagsFalse: 0,
  lessons: 0,
  fitsAt: 200,
};

/**
 * Returns the share of fetched flagged companies whose records had really changed. Four imaginary correct flags are
 * added, so that the share starts at 1.
 */
export function truthOfFlags({
  flagsFetched,
  flagsFalse,
}: Pick<EstimateState, 'flagsFetched' | 'flagsFalse'>): number {
  return (flagsFetched - flagsFalse + 4) / (flagsFetched + 4);
}

/** Learns the change rates from each fetch and listing, in load order. */
export class Estimates {
  #listings: { -readonly [Key in keyof Signal]: number };
  #prior: RatePrior;
  #flagsFetched: number;
  #flagsFalse: number;
  #observations: number;
  #fitsAt: number;
  #shown: number;
  #eventsUntilUpdate = EVENTS_BETWEEN_UPDATES;
  #fadedAt: number;
  #snapshot: EstimateState | null;

  constructor(state: EstimateState) {
    this.#listings = { ...state.listings };
    this.#prior = state.prior;
    this.#flagsFetched = state.flagsFetched;
    this.#flagsFalse = state.flagsFalse;
    this.#observations = state.lessons;
    this.#fitsAt = state.fitsAt;
    this.#fadedAt = state.lessons;
    this.#shown = shownShareOf(state);
    this.#snapshot = state;
  }

  /** Returns the state to store. This is the same object until new evidence arrives. */
  get state(): EstimateState {
    this.#snapshot ??= {
      prior: this.#prior,
      listings: { ...this.#listings },
      flagsFetched: this.#flagsFetched,
      flagsFalse: this.#flagsFalse,
      lessons: this.#observations,
      fitsAt: this.#fitsAt,
    };
    return this.#snapshot;
  }

  /** Learns from a fetched record and returns the company's new rate. */
  fetched(known: Watched, atMs: number, changed: boolean): Rated {
    const { evidence, isFlagged } = known;
    if (known.fetchedAtMs === null) return this.#rated(evidence);
    this.#learned();
    if (isFlagged) {
      // Do not count the change again, because it was counted when the listing flagged the company.
      this.#flagsFetched++;
      if (!changed) this.#flagsFalse++;
      return this.#rated(evidence);
    }
    const span = spanOf(known, atMs);
    this.#observations++;
    if (span.coveredDays > 0) this.#learnUnseen(known, span, changed);
    return this.#rated(afterFetch(evidence, span, { changed, shown: this.#shown }));
  }

  /** Learns from a listing of a fetched company and returns the company's new rate. */
  listed(known: Watched, atMs: number, changed: boolean): Rated {
    const { evidence, rateClass, isFlagged } = known;
    if (known.fetchedAtMs === null || isFlagged) return { evidence, rateClass };
    this.#learned();
    const span = spanOf(known, atMs);
    const expected = rateOfClass(rateClass) * span.openDays;
    this.#listings.listedExpected += expected;
    if (changed) {
      this.#observations++;
      this.#listings.listedShown += expectedIfAny(this.#shown * expected);
      return this.#rated(afterFlag(evidence, span, this.#shown));
    }
    const watched = withListings(evidence, span.coveredDays + span.openDays, this.#shown);
    return { evidence, rateClass: classOfRate(rateOf(watched, this.#prior)) };
  }

  /** Whether there are enough new observations to fit the prior again. */
  get isFitDue(): boolean {
    return this.#observations >= this.#fitsAt;
  }

  /** Fits the prior to the evidence on a sample of fetched companies. */
  fit(sample: readonly Watched[]): void {
    const evidence = sample.map((known) =>
      known.isFlagged ? known.evidence : withListings(known.evidence, coveredDaysOf(known), this.#shown),
    );
    this.#prior = fitPrior(evidence, this.#prior);
    this.#fitsAt = this.#observations + Math.min(Math.max(this.#observations / 4, 200), 10_000);
    this.#snapshot = null;
  }

  /** Learns from a fetch how many changes the earlier listings missed. */
  #learnUnseen({ rateClass, evidence }: Watched, { coveredDays, openDays }: Span, changed: boolean): void {
    const rate = rateOfClass(rateClass);
    const unseen = (1 - this.#shown) * rate * coveredDays;
    this.#listings.fetchedExpected += rate * coveredDays;
    if (!changed) return;
    // If the rate has a Gamma distribution with shape a and mean `rate`, the probability of no change in t days is (1 +
    // rate·t/a)^(−a). After at least one change, `unseen / (1 − noChange)` unseen changes are expected.
    const shape = this.#prior.shape + evidence.changes;
    const noChange = (1 + (unseen + rate * openDays) / shape) ** -shape;
    this.#listings.fetchedHidden += unseen / Math.max(1 - noChange, 1e-12);
  }

  #rated(evidence: Evidence): Rated {
    return { evidence, rateClass: classOfRate(rateOf(evidence, this.#prior)) };
  }

  #fade(): void {
    const since = this.#observations - this.#fadedAt;
    if (since < MEMORY / 100) return;
    this.#fadedAt = this.#observations;
    this.#listings = faded(this.#listings, Math.exp(-since / MEMORY));
  }

  #learned(): void {
    this.#snapshot = null;
    if (--this.#eventsUntilUpdate > 0) return;
    this.#eventsUntilUpdate = EVENTS_BETWEEN_UPDATES;
    this.#fade();
    this.#shown = shownShareOf({ listings: this.#listings });
  }
}

function spanOf(known: Watched, atMs: number): Span {
  const coveredDays = coveredDaysOf(known);
  const sinceFetch = (atMs - (known.fetchedAtMs ?? atMs)) / DAY_MS;
  return { coveredDays, openDays: Math.max(sinceFetch - coveredDays, 0) };
}

function coveredDaysOf({ listedAtMs, fetchedAtMs }: Watched): number {
  return Math.max(((listedAtMs ?? 0) - (fetchedAtMs ?? Number.POSITIVE_INFINITY)) / DAY_MS, 0);
}

/**
 * Returns x / (1 − e^(−x)), the expected number of changes in a span with at least one change. x is the expected number
 * without that condition.
 */
function expectedIfAny(expected: number): number {
  return expected < 1e-6 ? 1 : expected / -Math.expm1(-expected);
}

// After this many observations, evidence has 1/e of its original weight.
const MEMORY = 10_000;
const EVENTS_BETWEEN_UPDATES = 16;
