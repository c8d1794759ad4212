import { seededRandom } from '../../../../src/random.ts';

export interface World {
  readonly companies: number;
  /** Shape of the Gamma distribution of change rates. */
  readonly shape: number;
  /** Days between two changes of a company, by the average rate. */
  readonly meanDays: number;
  /** Share of changes that the summary in a listing shows. */
  readonly shown: number;
}

/** Companies that change at random, each at a rate of its own; looked at only when they are fetched or listed. */
export class ChangingRegistry {
  readonly ratesPerDay: Float64Array;
  readonly #shown: number;
  readonly #random: () => number;
  /** The next change after the latest look: of those that a summary shows, and of those that it hides. */
  readonly #nextShown: Float64Array;
  readonly #nextHidden: Float64Array;
  /** The first changes since the record was fetched. */
  readonly #firstShown: Float64Array;
  readonly #fetchedAt: Float64Array;
  readonly #isSummaryNew: Uint8Array;
  #rightDays = 0;
  #measuredFrom = 0;

  constructor(world: World, seed: number) {
    this.#random = seededRandom(seed).next;
    this.#shown = world.shown;
    const scale = 1 / (world.meanDays * world.shape);
    this.ratesPerDay = Float64Array.from({ length: world.companies }, () =>
      Math.max(gamma(world.shape, this.#random) * scale, 1e-9),
    );
    this.#fetchedAt = new Float64Array(world.companies);
    this.#firstShown = new Float64Array(world.companies).fill(Number.POSITIVE_INFINITY);
    this.#isSummaryNew = new Uint8Array(world.companies);
    this.#nextShown = this.ratesPerDay.map((rate) => this.#waits(rate * this.#shown));
    this.#nextHidden = this.ratesPerDay.map((rate) => this.#waits(rate * (1 - this.#shown)));
  }

  /** The company was as it is now at this time: the mirror's first fetch. */
  begin(at: number, day: number): void {
    const rate = this.ratesPerDay[at] as number;
    this.#fetchedAt[at] = day;
    this.#nextShown[at] = day + this.#waits(rate * this.#shown);
    this.#nextHidden[at] = day + this.#waits(rate * (1 - this.#shown));
  }

  /** Fetches the record: had it changed since the last time? */
  fetch(at: number, day: number): boolean {
    const wrongSince = this.#wrongSince(at, day);
    this.#addRightDays(at, Math.min(wrongSince, day));
    this.#fetchedAt[at] = day;
    this.#firstShown[at] = Number.POSITIVE_INFINITY;
    if ((this.#nextHidden[at] as number) <= day)
      this.#nextHidden[at] = day + this.#waits((this.ratesPerDay[at] as number) * (1 - this.#shown));
    return wrongSince <= day;
  }

  /** Lists the company: does its summary differ from the last time? */
  list(at: number, day: number): boolean {
    this.#advance(at, day);
    const isNew = this.#isSummaryNew[at] === 1;
    this.#isSummaryNew[at] = 0;
    return isNew;
  }

  /** From now on counts how long records are right. */
  startMeasuring(day: number): void {
    this.#measuredFrom = day;
    this.#rightDays = 0;
  }

  /** The share of companies whose record was right, averaged over the time measured. */
  rightShare(day: number): number {
    const companies = this.ratesPerDay.length;
    for (let at = 0; at < companies; at++) this.#addRightDays(at, Math.min(this.#wrongSince(at, day), day));
    return this.#rightDays / companies / (day - this.#measuredFrom);
  }

  #addRightDays(at: number, until: number): void {
    const from = Math.max(this.#fetchedAt[at] as number, this.#measuredFrom);
    if (until > from) this.#rightDays += until - from;
  }

  #wrongSince(at: number, day: number): number {
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

/** A random number of the Gamma distribution of this shape, scale 1 (Marsaglia and Tsang 2000). */
function gamma(profile: number, random: () => number): number {
  if (profile < 1) return gamma(profile + 1, random) * (1 - random()) ** (1 / profile);
  const d = profile - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}
