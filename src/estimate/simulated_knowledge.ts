import type { SearchQuery } from '../call.ts';
import type { Knowledge, KnownCompany } from '../knowledge.ts';
import { SortedTexts, type TextsInOrder } from '../names/ordered_texts.ts';
import { comparedText } from '../names/query_matching.ts';

/** Combines what is known at the start of a simulation with the companies that the simulation finds. */
export class SimulatedKnowledge {
  readonly #from: Knowledge;
  readonly #learned: KnownCompany[] = [];
  /** The folded texts, which are sorted when first requested. */
  readonly #texts = new Map<SearchQuery['by'], SortedTexts>();

  constructor(from: Knowledge) {
    this.#from = from;
  }

  learn(company: KnownCompany): void {
    this.#learned.push(company);
    for (const [by, texts] of this.#texts) texts.add(comparedText(company, by));
  }

  /**
   * Returns the knowledge for a planner. `total` is the simulated registry count; null if the registry reports none.
   */
  view(total: number | null, nowMs: number): Knowledge {
    const from = this.#from;
    return {
      knownCount: () => from.knownCount() + this.#learned.length,
      latestStats: () => ({ observedAtMs: nowMs, total }),
      registryCountAt: (atMs) => from.registryCountAt(atMs),
      statsCallsMade: () => 1,
      queries: () => from.queries(),
      newBySearches: () => from.newBySearches(),
      knownCompanies: () => this.#companies(),
      textsInOrder: (by) => this.#textsInOrder(by),
      wordsInOrder: () => null,
      changeEstimates: () => from.changeEstimates(),
      rateClasses: () => from.rateClasses(),
      recordsDue: () => [],
      failures: () => [],
      controlNeeded: () => false,
    };
  }

  *#companies(): Generator<KnownCompany> {
    yield* this.#from.knownCompanies();
    yield* this.#learned;
  }

  #textsInOrder(by: SearchQuery['by']): TextsInOrder {
    const held = this.#texts.get(by);
    if (held !== undefined) return held;
    const texts = new SortedTexts(Array.from(this.#companies(), (one) => comparedText(one, by)));
    this.#texts.set(by, texts);
    return texts;
  }
}
