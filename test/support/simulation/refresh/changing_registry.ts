import { seededRandom } from '../../../../src/random.ts';

export interface RegistrySettings {
  readonly companies: number;
  /** The shape parameter of the Gamma distribution that yields the change rates. */
  readonly shape: number;
  /** Days between two changes to a company with the mean rate. */
  readonly meanDays: number;
  /** The share of changes that a summary shows. */
  readonly shown: number;
}

/**
 * Companies that change at random, each with its own rate. Each change is simulated only when a fetch or listing needs
 * it.
 */
export class ChangingRegistry {
  readonly ratesPerDay: Float64Array;
  readonly #shown: number;
  readonly #random: () => number;
  /** The days of the next change that the summary shows, and of the next one that it does not show. */
  readonly #nextShown: Float64Array;
  readonly #nextHidden: Float64Array;
  /** The day of the first change since the last fetch that the summary shows. */
  readonly #firstShown: Float64Array;
  readonly #fetchedAt: Float64Array;
  readonly #isSummaryNew: Uint8Array;
  #currentDays = 0;
  #measuredFrom = 0;

  constructor(settings: RegistrySettings, seed: number) {
    this.#random = seededRandom(seed).next;
    this.#shown = settings.shown;
    const scale = 1 / (settings.meanDays * settings.shape);
    this.ratesPerDay = Float64Array.from({ length: settings.companies }, () =>
      Math.max(gamma(settings.shape, this.#random) * scale, 1e-9),
    );
    this.#fetchedAt = new Float64Array(settings.companies);
    this.#firstShown = new Float64Array(settings.companies).fill(Number.POSITIVE_INFINITY);
    this.#isSummaryNew = new Uint8Array(settings.companies);
    this.#nextShown = this.ratesPerDay.map((rate) => this.#waits(rate * this.#shown));
    this.#nextHidden = this.ratesPerDay.map((rate) => this.#waits(rate * (1 - this.#shown)));
  }

  /** Records that a company was fetched for the first time. */
  begin(at: number, day: number): void {
    const rate = this.ratesPerDay[at] as number;
    this.#fetchedAt[at] = day;
    this.#nextShown[at] = day + this.#waits(rate * this.#shown);
    this.#nextHidden[at] = day + this.#waits(rate * (1 - this.#shown));
  }

  /** Treats every company as never fetched. */
  forget(): void {
    this.#fetchedAt.fill(Number.POSITIVE_INFINITY);
  }

  /** Fetches the record and returns whether it has changed since the last fetch. */
  fetch(at: number, day: number): boolean {
    const outdatedSince = this.#outdatedSince(at, day);
    this.#addCurrentDays(at, Math.min(outdatedSince, day));
    this.#fetchedAt[at] = day;
    this.#firstShown[at] = Number.POSITIVE_INFINITY;
    if ((this.#nextHidden[at] as number) <= day)
      this.#nextHidden[at] = day + this.#waits((this.ratesPerDay[at] as number) * (1 - this.#shown));
    return outdatedSince <= day;
  }

  /** Lists the company and returns whether its summary has changed since the last listing. */
  list(at: number, day: number): boolean {
    this.#advance(at, day);
    const isNew = this.#isSummaryNew[at] === 1;
    this.#isSummaryNew[at] = 0;
    return isNew;
  }

  /** Starts measuring how long records are up to date. */
  startMeasuring(day: number): void {
    this.#measuredFrom = day;
    this.#currentDays = 0;
  }

  /** The mean share of records that were up to date during the measurement. */
  currentShare(day: number): number {
    const companies = this.ratesPerDay.length;
    for (let at = 0; at < companies; at++)
      this.#addCurrentDays(at, Math.min(this.#outdatedSince(at, day), day));
    return this.#currentDays / companies / (day - this.#measuredFrom);
  }

  #addCurrentDays(at: number, until: number): void {
    const from = Math.max(this.#fetchedAt[at] as number, this.#measuredFrom);
    if (until > from) this.#currentDays += until - from;
  }

  #outdatedSince(at: number, day: number): number {
    this.#advance(at, day);
    return Math.min(this.#firstShown[at] as number, this.#nextHidden[at] as number);
  }

  #advance(at: number, day: number): void {
    const rate = (this.ratesPerDay[at] as number) * this.#shown;
    let next = this.#nextShown[at] as number;
    while (next <= day) {
      if (next < (this.#firstShown[at] as number)) this.#firstShown[at] = next;
      this.#isSummaryNew[at] = 1;
      next += this.#waits(rate);
    }
    this.#nextShown[at] = next;
  }

  #waits(ratePerDay: number): number {
    return ratePerDay === 0 ? Number.POSITIVE_INFINITY : -Math.log(1 - this.#random()) / ratePerDay;
  }
}

/**
 * Returns a random number from the Gamma distribution with the given shape and scale 1. Source: Marsaglia and Tsang, "A
 * simple method for generating gamma variables" (ACM TOMS 26(3), 2000).
 */
function gamma(shape: number, random: () => number): number {
  if (shape < 1) return gamma(shape + 1, random) * (1 - random()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}
