import {
  afterFetch,
  afterFlag,
  classOfRate,
  type Evidence,
  FASTEST_CLASS,
  FIRST_PRIOR,
  type RatePrior,
  rateOf,
  rateOfClass,
  SLOWEST_CLASS,
  type Span,
  withListings,
} from './change_rate.ts';
import { fitPrior } from './rate_prior.ts';

/** What is known of one company when it is fetched or listed again. Times are epoch milliseconds. */
export interface Watched {
  readonly evidence: Evidence;
  readonly rateClass: number;
  readonly fetchedAtMs: number | null;
  readonly listedAtMs: number | null;
  readonly isFlagged: boolean;
}

export interface Rated {
  readonly evidence: Evidence;
  readonly rateClass: number;
}

/** What all companies together have taught, as it is stored. */
export interface EstimateState {
  readonly prior: RatePrior;
  /** By group of classes: changes that were expected, and those that came. */
  readonly signal: readonly Signal[];
  /** Fetches of flagged companies, and those of them that showed no change. */
  readonly flagsFetched: number;
  readonly flagsFalse: number;
  /** Fetches and flags that taught something, and at how many the prior is fitted again. */
  readonly lessons: number;
  readonly fitsAt: number;
}

export interface Signal {
  /** Changes that listings should have shown if they showed all, and those that they showed. */
  readonly listedExpected: number;
  readonly listedShown: number;
  /** Changes expected in the time that listings covered, and those that only a fetch showed. */
  readonly fetchedExpected: number;
  readonly fetchedHidden: number;
}

export const FIRST_ESTIMATES: EstimateState = {
  prior: FIRST_PRIOR,
  signal: [],
  flagsFetched: 0,
  flagsFalse: 0,
  lessons: 0,
  fitsAt: 200,
};

/**
 * The share of changes that a listing shows: how often it showed one, beside how often only a fetch did. The two
 * are compared within each group of rates (Mantel and Haenszel 1959), for other companies are fetched than listed.
 */
export function shownShareOf({ signal }: Pick<EstimateState, 'signal'>): number {
  let shown = DOUBT;
  let hidden = DOUBT;
  for (const { listedExpected, listedShown, fetchedExpected, fetchedHidden } of signal) {
    const both = listedExpected + fetchedExpected;
    if (both === 0) continue;
    shown += (listedShown * fetchedExpected) / both;
    hidden += (fetchedHidden * listedExpected) / both;
  }
  return shown / (shown + hidden);
}

/** The share of flagged companies whose record had changed indeed. */
export function truthOfFlags({
  flagsFetched,
  flagsFalse,
}: Pick<EstimateState, 'flagsFetched' | 'flagsFalse'>): number {
  return (flagsFetched - flagsFalse + 4) / (flagsFetched + 4);
}

/** Learns how often companies change from each fetch and each listing, in the order in which they are loaded. */
export class Estimates {
  readonly #signal: { -readonly [Key in keyof Signal]: number }[];
  #prior: RatePrior;
  #flagsFetched: number;
  #flagsFalse: number;
  #lessons: number;
  #fitsAt: number;
  #shown: number;
  #untilShown = LESSONS_BETWEEN;
  #forgotAt: number;
  #snapshot: EstimateState | null;

  constructor(state: EstimateState) {
    this.#signal = Array.from({ length: GROUPS }, (_, at) => ({ ...NO_SIGNAL, ...state.signal[at] }));
    this.#prior = state.prior;
    this.#flagsFetched = state.flagsFetched;
    this.#flagsFalse = state.flagsFalse;
    this.#lessons = state.lessons;
    this.#fitsAt = state.fitsAt;
    this.#forgotAt = state.lessons;
    this.#shown = shownShareOf(state);
    this.#snapshot = state;
  }

  /** As it is to be stored: the same object until something is learned. */
  get state(): EstimateState {
    this.#snapshot ??= {
      prior: this.#prior,
      signal: this.#signal.map((group) => ({ ...group })),
      flagsFetched: this.#flagsFetched,
      flagsFalse: this.#flagsFalse,
      lessons: this.#lessons,
      fitsAt: this.#fitsAt,
    };
    return this.#snapshot;
  }

  /** A record was fetched. */
  fetched(known: Watched, atMs: number, changed: boolean): Rated {
    const { evidence, isFlagged } = known;
    if (known.fetchedAtMs === null) return this.#rated(evidence);
    this.#learned();
    if (isFlagged) {
      // The listing that flagged it was the evidence.
      this.#flagsFetched++;
      if (!changed) this.#flagsFalse++;
      return this.#rated(evidence);
    }
    const span = spanOf(known, atMs);
    this.#lessons++;
    if (span.coveredDays > 0) this.#learnHidden(known, span, changed);
    return this.#rated(afterFetch(evidence, span, { changed, shown: this.#shown }));
  }

  /** A company that was fetched before is listed again. */
  listed(known: Watched, atMs: number, changed: boolean): Rated {
    const { evidence, rateClass, isFlagged } = known;
    if (known.fetchedAtMs === null || isFlagged) return { evidence, rateClass };
    this.#learned();
    const span = spanOf(known, atMs);
    const ratePerDay = rateOfClass(rateClass);
    const expected = ratePerDay * span.openDays;
    const group = this.#groupOf(rateClass);
    group.listedExpected += expected;
    if (changed) {
      this.#lessons++;
      group.listedShown += expectedIfAny(this.#shown * expected);
      return this.#rated(afterFlag(evidence, span, this.#shown));
    }
    const watched = withListings(evidence, span.coveredDays + span.openDays, this.#shown);
    return { evidence, rateClass: classOfRate(rateOf(watched, this.#prior)) };
  }

  /** Has so much been learned that the prior should be fitted again? */
  get isFitDue(): boolean {
    return this.#lessons >= this.#fitsAt;
  }

  /** Fits the prior to a sample of fetched companies. */
  fit(sample: readonly Watched[]): void {
    const evidence = sample.map((known) =>
      known.isFlagged ? known.evidence : withListings(known.evidence, coveredDaysOf(known), this.#shown),
    );
    this.#prior = fitPrior(evidence, this.#prior);
    this.#fitsAt = this.#lessons + Math.min(Math.max(this.#lessons / 4, 200), 10_000);
    this.#snapshot = null;
  }

  /** Of the changes that a fetch found, those that a listing had passed over. */
  #learnHidden({ rateClass, evidence }: Watched, { coveredDays, openDays }: Span, changed: boolean): void {
    const rate = rateOfClass(rateClass);
    const hidden = (1 - this.#shown) * rate * coveredDays;
    const group = this.#groupOf(rateClass);
    group.fetchedExpected += rate * coveredDays;
    if (!changed) return;
    // The rate is not known but for its distribution: a change says that it is rather a fast one.
    const shape = this.#prior.shape + evidence.changes;
    const none = (1 + (hidden + rate * openDays) / shape) ** -shape;
    group.fetchedHidden += hidden / Math.max(1 - none, 1e-12);
  }

  #rated(evidence: Evidence): Rated {
    return { evidence, rateClass: classOfRate(rateOf(evidence, this.#prior)) };
  }

  #groupOf(rateClass: number) {
    return this.#signal[Math.floor((rateClass - SLOWEST_CLASS) / 3)] ?? { ...NO_SIGNAL };
  }

  #forget(): void {
    const since = this.#lessons - this.#forgotAt;
    if (since < MEMORY / 100) return;
    this.#forgotAt = this.#lessons;
    for (const group of this.#signal) Object.assign(group, faded(group, Math.exp(-since / MEMORY)));
  }

  #learned(): void {
    this.#snapshot = null;
    if (--this.#untilShown > 0) return;
    this.#untilShown = LESSONS_BETWEEN;
    this.#forget();
    this.#shown = shownShareOf({ signal: this.#signal });
  }
}

/** What is old counts less: a signal may change, and one that is trusted wholly would never be put to the test. */
function faded(signal: Signal, factor: number): Signal {
  return {
    listedExpected: signal.listedExpected * factor,
    listedShown: signal.listedShown * factor,
    fetchedExpected: signal.fetchedExpected * factor,
    fetchedHidden: signal.fetchedHidden * factor,
  };
}

function spanOf(known: Watched, atMs: number): Span {
  const coveredDays = coveredDaysOf(known);
  const sinceFetch = (atMs - (known.fetchedAtMs ?? atMs)) / DAY_MS;
  return { coveredDays, openDays: Math.max(sinceFetch - coveredDays, 0) };
}

function coveredDaysOf({ listedAtMs, fetchedAtMs }: Watched): number {
  return Math.max(((listedAtMs ?? 0) - (fetchedAtMs ?? Number.POSITIVE_INFINITY)) / DAY_MS, 0);
}

/** How many changes a span holds that holds at least one. */
function expectedIfAny(expected: number): number {
  return expected < 1e-6 ? 1 : expected / -Math.expm1(-expected);
}

const NO_SIGNAL: Signal = { listedExpected: 0, listedShown: 0, fetchedExpected: 0, fetchedHidden: 0 };
// Three classes, a doubling of the rate, make a group.
const GROUPS = Math.ceil((FASTEST_CLASS - SLOWEST_CLASS + 1) / 3);
// Lessons after which one counts a third.
const MEMORY = 10_000;
const DOUBT = 0.25;
const LESSONS_BETWEEN = 16;
const DAY_MS = 86_400_000;
