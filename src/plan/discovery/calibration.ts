import type { Script } from './seeds.ts';

/**
 * The kinds of candidate:
 *
 * - `seen`: known companies match the query.
 * - `unseen`: no known company matches the query.
 * - `new character`: no known company matches, and the query's last character occurs in no known text.
 * - `pair`: the query has two words.
 * - `repeat`: the query was already sent before the last registry count was received.
 * - `understated`: the query's listing is understated (see `UnderstatedListings`).
 */
export type Kind = 'seen' | 'unseen' | 'new character' | 'pair' | 'repeat' | 'understated';

/** How many new companies one call is predicted to find, before calibration. */
export interface Prediction {
  /**
   * The next page of a listing has the kind `page of all` for the empty query, `truncated page` if the listing is
   * truncated, and otherwise `page`. New letters of each script are a kind of their own, because a script that the
   * registry does not use shows nothing about other scripts.
   */
  readonly kind: Kind | 'page' | 'truncated page' | 'page of all' | `new character: ${Script}`;
  readonly expectedYield: number;
}

/**
 * The ratio of actual to predicted yield: `r = (A + d) / (P + d)`, limited to [lowest, 2]. `A` and `P` are the sums of
 * the actual and predicted new companies. Before an observation is added, both sums are multiplied by 0.97, so they cover
 * about 33 observations. The prior `d` keeps a few observations from changing the ratio much.
 */
class YieldRatio {
  readonly #prior: number;
  readonly #lowest: number;
  #predicted = 0;
  #actual = 0;

  constructor(prior: number, lowest: number) {
    this.#prior = prior;
    this.#lowest = lowest;
  }

  get value(): number {
    const ratio = (this.#actual + this.#prior) / (this.#predicted + this.#prior);
    return Math.min(HIGHEST, Math.max(this.#lowest, ratio));
  }

  learn(predicted: number, actual: number): void {
    this.#predicted = this.#predicted * MEMORY + predicted;
    this.#actual = this.#actual * MEMORY + actual;
  }
}

/**
 * The ratio of actual to predicted yield for each kind of call. Predictions of that kind are multiplied by the ratio.
 */
export class Calibration {
  readonly #ratios = new Map<Prediction['kind'], YieldRatio>();
  readonly #lowest: number;

  /** `lowest` is the lowest ratio. */
  constructor(lowest: number) {
    this.#lowest = lowest;
  }

  ratio(kind: Prediction['kind']): number {
    return this.#ratios.get(kind)?.value ?? 1;
  }

  learn({ kind, expectedYield }: Prediction, found: number): void {
    // A script's most frequent letters come first, so a few failures show that the registry does not use the script.
    const prior = kind.includes(':') ? PRIOR_OF_SCRIPT : PRIOR;
    const ratio = this.#ratios.get(kind) ?? new YieldRatio(prior, this.#lowest);
    ratio.learn(expectedYield, found);
    this.#ratios.set(kind, ratio);
  }
}

const MEMORY = 0.97;
const HIGHEST = 2;
const PRIOR = 0.5;
const PRIOR_OF_SCRIPT = 0.3;
