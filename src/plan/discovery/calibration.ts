import type { SearchCall } from '../../call.ts';
import type { Knowledge, MadeSearch } from '../../knowledge.ts';
import { searchesSinceCount } from './latest_searches.ts';
import { NEW_CHARACTER, sortOf, TRUNCATED_PAGE } from './search_reason.ts';
import { scriptOf } from './seeds.ts';

/** A call's reason, and its expected yield before calibration. */
export interface Prediction {
  readonly reason: string;
  readonly expectedYield: number;
}

type ReasonedQuery = Pick<SearchCall, 'query' | 'reason'>;

interface RatioSettings {
  /** The number `d` of new companies that is added to both sums, so that a few observations barely change the ratio. */
  readonly prior: number;
  readonly lowest: number;
  readonly highest: number;
}

/**
 * The ratio of actual to predicted yield: `r = (A + d) / (P + d)`, limited to [lowest, highest]. `A` and `P` are the sums
 * of the actual and predicted new companies, of which the older ones weigh less.
 */
class YieldRatio {
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
    this.#predicted = this.#predicted * MEMORY + predicted;
    this.#actual = this.#actual * MEMORY + actual;
  }
}

/**
 * The ratio of actual to predicted yield for each kind of search. Predictions are multiplied by the ratios of their kinds.
 * A restart changes no ratio, because the warehouse has the expected and the actual yield of each search. When the registry
 * count changes, other companies are missing, and the ratios are learned again.
 */
export class Calibration {
  readonly #ratios = new Map<string, YieldRatio>();

  constructor(knowledge: Pick<Knowledge, 'latestSearches'>) {
    this.#replay(searchesSinceCount(knowledge, MAX_SEARCHES).reverse());
  }

  ratio(search: ReasonedQuery): number {
    return kindsOf(search).reduce((ratio, { name }) => ratio * (this.#ratios.get(name)?.value ?? 1), 1);
  }

  learn(search: ReasonedQuery & Pick<Prediction, 'expectedYield'>, found: number): void {
    for (const { name, ...settings } of kindsOf(search)) {
      const ratio = this.#ratios.get(name) ?? new YieldRatio(settings);
      ratio.learn(search.expectedYield, found);
      this.#ratios.set(name, ratio);
    }
  }

  /** Learns from earlier searches. Each was chosen when only the responses to some of the preceding ones had arrived. */
  #replay(searches: readonly MadeSearch[]): void {
    const inFlight: (MadeSearch & Pick<Prediction, 'expectedYield'>)[] = [];
    const arrive = (lastCallId: number) => {
      while (inFlight[0] !== undefined && inFlight[0].callId <= lastCallId) {
        const [search] = inFlight.splice(0, 1) as [(typeof inFlight)[number]];
        this.learn(search, search.found);
      }
    };
    for (const search of searches) {
      arrive(search.sentAfter);
      inFlight.push({ ...search, expectedYield: search.expected / this.ratio(search) });
    }
    arrive(Number.POSITIVE_INFINITY);
  }

  reset(): void {
    this.#ratios.clear();
  }
}

interface Kind extends RatioSettings {
  readonly name: string;
}

/**
 * Returns the kinds of a search.
 *
 * - New letters of each script are a kind of their own, because a script that the registry does not use shows nothing
 *   about other scripts.
 * - The pages of each truncated listing are also a kind of their own, because they may repeat companies that a shorter
 *   query has shown. A listing below the cap needs none, as its later pages show all remaining matches.
 */
function kindsOf({ query: { by, text }, reason }: ReasonedQuery): readonly Kind[] {
  // Identifiers are assigned in blocks, so a few empty prefixes show little about the others.
  const lowest = by === 'name' ? 0.002 : 0.05;
  const name = `${by}: ${sortOf(reason)}`;
  const kind = { name, prior: 0.5, lowest, highest: 2 };
  switch (reason) {
    case NEW_CHARACTER:
      // A script's most frequent letters come first, so a few failures show that the registry does not use the script.
      return [{ ...kind, name: `${name} (${scriptOf([...text].at(-1) ?? '')})`, prior: 0.3 }];
    case TRUNCATED_PAGE:
      return [kind, { ...kind, name: `${name} for ${text}`, prior: 5, highest: 1 }];
    default:
      return [kind];
  }
}

/** The factor by which each new observation reduces the weight of earlier ones. */
const MEMORY = 0.97;
/** Searches before these are ignored. */
const MAX_SEARCHES = 5_000;
