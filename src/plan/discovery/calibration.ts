/**
 * The kind of a candidate.
 *
 * - `seen`: known companies match the query.
 * - `unseen`: no known company matches.
 * - `new character`: no known company matches, and the last character occurs in no known text.
 * - `pair`: the query has two words.
 * - `repeat`: the query was sent before the registry was last counted.
 */
export type Kind = 'seen' | 'unseen' | 'new character' | 'pair' | 'repeat';

/** The predicted new companies of one call, before calibration. */
export interface Prediction {
  /** `page`: the next page of a listing; `truncated page`: of a truncated one; `page of all`: of the empty query. */
  readonly kind: Kind | 'page' | 'truncated page' | 'page of all';
  readonly expectedYield: number;
}

interface RatioSettings {
  /** The weight that earlier observations keep with each further one: 1 keeps all. */
  readonly memory: number;
  /** New companies added to both sums, so that few observations change little. */
  readonly prior: number;
  readonly lowest: number;
  readonly highest: number;
}

/**
 * The ratio of actual to predicted yield: `r = (A + d) / (P + d)`, bounded to [lowest, highest]. `A` and `P` are the sums of
 * actual and predicted new companies, and `d` is the prior. Each observation first multiplies both sums by the memory `m`:
 * exponentially decayed sums with a mean of `1 / (1 − m)` observations.
 */
export class YieldRatio {
  readonly #settings: RatioSettings;
  #predicted = 0;
  #actual = 0;

  constructor(settings: RatioSettings) {
    this.#settings = settings;
  }

  get value(): number {
    const { prior, lowest, highest } = this.#settings;
    return Math.min(highest, Math.max(lowest, (this.#actual + prior) / (this.#predicted + prior)));
  }

  learn(predicted: number, actual: number): void {
    this.#predicted = this.#predicted * this.#settings.memory + predicted;
    this.#actual = this.#actual * this.#settings.memory + actual;
  }
}

/** Calibration: one ratio for each kind of call, by which predictions of that kind are multiplied. */
export class Calibration {
  readonly #ratios = new Map<Prediction['kind'], YieldRatio>();

  ratio(kind: Prediction['kind']): number {
    return this.#ratios.get(kind)?.value ?? 1;
  }

  learn({ kind, expectedYield }: Prediction, found: number): void {
    const ratio = this.#ratios.get(kind) ?? new YieldRatio(OF_KIND);
    ratio.learn(expectedYield, found);
    this.#ratios.set(kind, ratio);
  }
}

/**
 * The ratio of one truncated listing, at most 1: its pages may repeat companies of a listing above it. A complete listing has
 * none, because the companies that its first pages lack are on the later ones.
 */
export function newListingRatio(): YieldRatio {
  return new YieldRatio(OF_LISTING);
}

const OF_KIND: RatioSettings = { memory: 0.97, prior: 0.5, lowest: 0.05, highest: 2 };
const OF_LISTING: RatioSettings = { memory: 1, prior: 5, lowest: 0, highest: 1 };
