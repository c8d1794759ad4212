import { type Random, seededRandom } from '../../random.ts';
import { scriptOf } from './seeds.ts';

/** One company in the sample. */
interface Sampled {
  readonly groups: readonly Group[];
  /** `v`. */
  weight: number;
}

/** The sampled companies that have a text, or a text in a script. */
interface Group {
  readonly key: string;
  readonly companies: Set<Sampled>;
  /** The sum of the companies' weights. */
  sum: number;
}

/**
 * Estimates how much known companies resemble the unseen ones. If many sent queries match a company, a company like it
 * would have been found by any of them, so few unseen companies are like it. Companies that few sent queries match stand
 * for those that none matches, as in capture-recapture estimates.
 *
 * Company `n` has the weight `v = Π (1 − 0.3 · s_q)` over the sent queries `q` that match it. `s_q` is the share of the
 * query's companies that was listed. The resemblance of a text is the mean weight of the companies that match it:
 *
 *     r(t) = (Σ v + ½ · r(t')) / (S + ½)
 *
 * `S` sampled companies match `t`, and `t'` is `t` without its last character. `r` of no characters is that of the
 * text's script, for which the prior is 1. Names in a script that no sent query reaches therefore keep their full weight.
 *
 * Good, "The population frequencies of species and the estimation of population parameters" (Biometrika 40, 1953)
 * estimates unseen species from those that were seen once.
 */
export class CaptureSample {
  readonly #sampled: Sampled[] = [];
  /** The groups by text and by script. */
  readonly #groups = new Map<string, Group>();
  /** `s_q` for each sent query. */
  readonly #listed = new Map<string, number>();
  readonly #random: Random = seededRandom(1);
  #offered = 0;

  /** Adds a company by the texts that find it. In a large registry, a random sample of the companies is kept. */
  add(texts: Iterable<string>): void {
    this.#offered++;
    if (this.#sampled.length === MAX_COMPANIES) {
      const at = this.#random.below(this.#offered);
      if (at >= MAX_COMPANIES) return;
      this.#drop(this.#sampled[at] as Sampled);
      this.#sampled[at] = this.#sampled.at(-1) as Sampled;
      this.#sampled.pop();
    }
    const found = new Set(texts);
    let weight = 1;
    for (const text of found) weight *= remainderOf(this.#listed.get(text) ?? 0);
    const groups = [...new Set([...found].map(scriptKey)), ...found].map((key) => this.#groupOf(key));
    const one = { groups, weight };
    this.#sampled.push(one);
    for (const group of groups) {
      group.companies.add(one);
      group.sum += weight;
    }
  }

  /** Records the share of a query's companies that was listed. `texts` are the texts that a matching company has. */
  record(query: string, texts: readonly string[], share: number): void {
    const before = this.#listed.get(query) ?? 0;
    if (share <= before) return;
    this.#listed.set(query, share);
    const factor = remainderOf(share) / remainderOf(before);
    for (const one of this.#matching(texts)) {
      const change = one.weight * (factor - 1);
      one.weight += change;
      for (const group of one.groups) group.sum += change;
    }
  }

  /** Returns `r` for a text. */
  resemblance(text: string): number {
    let mean = this.#mean(scriptKey(text), 1);
    let prefix = '';
    for (const character of text) {
      prefix += character;
      mean = this.#mean(prefix, mean);
    }
    return mean;
  }

  #mean(key: string, prior: number): number {
    const group = this.#groups.get(key);
    if (group === undefined) return prior;
    return (Math.max(0, group.sum) + PRIOR * prior) / (group.companies.size + PRIOR);
  }

  #matching([first = '', ...others]: readonly string[]): Sampled[] {
    const groups = others.map((text) => this.#groups.get(text));
    const companies = this.#groups.get(first)?.companies ?? [];
    return [...companies].filter((one) => groups.every((group) => group?.companies.has(one)));
  }

  #groupOf(key: string): Group {
    const existing = this.#groups.get(key);
    if (existing !== undefined) return existing;
    const group = { key, companies: new Set<Sampled>(), sum: 0 };
    this.#groups.set(key, group);
    return group;
  }

  #drop(one: Sampled): void {
    for (const { key, companies } of one.groups) {
      companies.delete(one);
      if (companies.size === 0) this.#groups.delete(key);
    }
    for (const group of one.groups) group.sum -= one.weight;
  }
}

/** A key that no text has, because texts are in lower case. */
function scriptKey(text: string): string {
  return `SCRIPT ${scriptOf(text)}`;
}

function remainderOf(share: number): number {
  return 1 - CAPTURED * share;
}

const CAPTURED = 0.3;
const PRIOR = 0.5;
const MAX_COMPANIES = 1_000;
