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
   * The next page of a listing has the kind `truncated page` if the listing is truncated, and otherwise `page`. New
   * letters of each script are a kind of their own, because a script that the registry does not use shows nothing about
   * other scripts.
   */
  readonly kind: Kind | 'page' | 'truncated page' | `new character: ${Script}`;
  readonly expectedYield: number;
}

interface RatioSettings {
  /** The factor by which each new observation reduces the weight of earlier ones. */
  readonly memory: number;
  /** The number `d` of new companies that is added to both sums, so that a few observations barely change the ratio. */
  readonly prior: number;
  readonly lowest: number;
  readonly highest: number;
}

/**
 * The ratio of actual to predicted yield: `r = (A + d) / (P + d)`, limited to [lowest, highest]. `A` and `P` are the sums
 * of the actual and predicted new companies, of which the older ones weigh less.
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
    const prior = kind.includes(':') ? 0.3 : 0.5;
    const settings = { memory: 0.97, prior, lowest: this.#lowest, highest: 2 };
    const ratio = this.#ratios.get(kind) ?? new YieldRatio(settings);
    ratio.learn(expectedYield, found);
    this.#ratios.set(kind, ratio);
  }
}

/**
 * Creates the ratio for the pages of one truncated listing. It is at most 1, because these pages may repeat companies
 * that a shorter query has shown. A listing below the cap needs none, as its later pages show all remaining matches.
 */
export function newListingRatio(): YieldRatio {
  return new YieldRatio({ memory: 1, prior: 5, lowest: 0, highest: 1 });
}
