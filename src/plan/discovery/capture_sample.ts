import { hashOfText } from '../../random.ts';
import { scriptOf } from './seeds.ts';

/** One company in the sample. */
interface Sampled {
  readonly hash: number;
  readonly texts: ReadonlySet<string>;
  /** `v`. */
  weight: number;
}

/** The sampled companies that have a text, or a text in a script. */
interface Group {
  companies: Sampled[];
  /** The sum of the companies' weights, and the revision at which it was computed. */
  sum: number;
  summedAt: number;
}

/** A sent query: the texts that a matching company has, and `s_q`. */
interface Listing {
  readonly texts: readonly string[];
  readonly share: number;
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
 * Of many companies, those with the lowest hashes are sampled, so that the order in which they are found changes nothing.
 *
 * Good, "The population frequencies of species and the estimation of population parameters" (Biometrika 40, 1953)
 * estimates unseen species from those that were seen once.
 */
export class CaptureSample {
  #sampled: Sampled[] = [];
  /** Companies with this hash or a higher one are not sampled. */
  #limit = 2 ** 32;
  /** The groups by text and by script. */
  readonly #groups = new Map<string, Group>();
  readonly #listings = new Map<string, Listing>();
  /** The number of changes to the companies and their weights. */
  #revision = 0;

  /** Adds a company by its name and the texts that find it. */
  add(name: string, texts: Iterable<string>): void {
    const hash = sampleHash(name);
    if (hash >= this.#limit) return;
    const one: Sampled = { hash, texts: new Set(texts), weight: 1 };
    for (const listing of this.#listings.values())
      if (isMatch(listing, one)) one.weight *= remainderOf(listing.share);
    this.#sampled.push(one);
    for (const key of [...new Set([...one.texts].map(scriptKey)), ...one.texts]) {
      const group = this.#groups.get(key);
      if (group !== undefined) group.companies.push(one);
      else this.#groups.set(key, { companies: [one], sum: 0, summedAt: -1 });
    }
    this.#revision++;
    if (this.#sampled.length > MAX_COMPANIES) this.#halve();
  }

  /** Records the share of a query's companies that was listed. `texts` are the texts that a matching company has. */
  record(query: string, texts: readonly string[], share: number): void {
    const before = this.#listings.get(query)?.share ?? 0;
    if (share <= before) return;
    const listing = { texts, share };
    this.#listings.set(query, listing);
    const factor = remainderOf(share) / remainderOf(before);
    for (const one of this.#groups.get(texts[0] ?? '')?.companies ?? [])
      if (isMatch(listing, one)) one.weight *= factor;
    this.#revision++;
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
    if (group.summedAt !== this.#revision) {
      group.sum = group.companies.reduce((sum, { weight }) => sum + weight, 0);
      group.summedAt = this.#revision;
    }
    return (group.sum + PRIOR * prior) / (group.companies.length + PRIOR);
  }

  /** Removes the companies in the upper half of the hashes. */
  #halve(): void {
    this.#limit /= 2;
    const isSampled = ({ hash }: Sampled) => hash < this.#limit;
    this.#sampled = this.#sampled.filter(isSampled);
    for (const [key, group] of this.#groups) {
      group.companies = group.companies.filter(isSampled);
      if (group.companies.length === 0) this.#groups.delete(key);
    }
  }
}

function isMatch({ texts }: Listing, one: Sampled): boolean {
  return texts.every((text) => one.texts.has(text));
}

/** A key that no text has, because texts are in lower case. */
function scriptKey(text: string): string {
  return `SCRIPT ${scriptOf(text)}`;
}

function remainderOf(share: number): number {
  return 1 - CAPTURED * share;
}

/** Returns a hash whose high bits, which decide what is sampled, depend on every character. */
function sampleHash(text: string): number {
  const hash = hashOfText(text);
  return Math.imul(hash ^ (hash >>> 15), 2_246_822_519) >>> 0;
}

const CAPTURED = 0.3;
const PRIOR = 0.5;
const MAX_COMPANIES = 1_000;
