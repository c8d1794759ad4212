import type { KeySpace } from './key_space.ts';
import type { Extension } from './known_texts.ts';
import { isPairRoot, type NodeExtensions, type QueryNode, type Weights } from './query_node.ts';
import type { RegistryUnseen } from './registry_unseen.ts';
import type { Revisions } from './revisions.ts';
import type { UnderstatedListings } from './understated_listings.ts';

/**
 * Computes the weights of a query's extensions. Extension `i` is expected to match the share `w_i / W` of the query's unseen
 * companies.
 *
 * If each company matches one extension, the shares add up to 1. The weights then form a Dirichlet predictive distribution
 * (MacKay and Peto, "A hierarchical Dirichlet language model", Natural Language Engineering 1(3), 1995):
 *
 *     w_i = c_i + a · g_i
 *
 * - `c_i`: the number of known companies that match the extension;
 * - `g_i`: the probability that the name model gives the extension;
 * - `a`: the number of distinct extensions that match a known company, plus ½.
 *
 * `W` is the sum of the terms for each place below the query where unseen companies can be:
 *
 * - an extension that has not been sent: `w_i`;
 * - all extensions that the key space does not offer: `a` times their total probability;
 * - companies that match no extension: the number of known companies that match none (`ending`), except for the root;
 * - an extension for which the upstream reports no total: `c_i + ½` during its listing, then its own `W`;
 * - an extension that was counted before its parent (see `#outdatedWeights`).
 *
 * If a company matches several extensions, a search that finds little shows nothing about the other extensions, so each
 * share is estimated by itself:
 *
 *     w_i = c_i · r_i if a known company matches, else m · g_i · r_i / Σ g_j · r_j
 *     W = c · r + b
 *
 * - `r_i` and `r`: how much the known companies that match the extension, or the query, resemble unseen ones (see
 *   `CaptureSample`);
 * - `b` and `m`: the unseen companies for each `c · r` that resemble no known one, and the number of their matches with
 *   extensions `j` that match no known company (see `Novelty`). So the search continues with rare scripts and rare words.
 */
export class ExtensionWeights {
  readonly #keySpace: KeySpace;
  readonly #isSent: (query: string) => boolean;
  readonly #registry: RegistryUnseen;
  readonly #revisions: Revisions;
  readonly #understated: UnderstatedListings;

  constructor(options: {
    readonly keySpace: KeySpace;
    readonly isSent: (query: string) => boolean;
    readonly registry: RegistryUnseen;
    readonly revisions: Revisions;
    readonly understated: UnderstatedListings;
  }) {
    this.#keySpace = options.keySpace;
    this.#isSent = options.isSent;
    this.#registry = options.registry;
    this.#revisions = options.revisions;
    this.#understated = options.understated;
  }

  /** Computes `W` and the weights of the name model for a node. */
  weigh(node: QueryNode): Weights {
    const extensions = this.extensionsOf(node);
    if (this.#revisions.isValid(node, extensions.weighedAt)) return extensions.weights;
    extensions.weights = this.#keySpace.overlaps
      ? this.#overlappingWeights(node, extensions)
      : this.#disjointWeights(node, extensions);
    extensions.weighedAt = this.#revisions.current;
    return extensions.weights;
  }

  #disjointWeights(node: QueryNode, { extensions, otherLikelihood }: NodeExtensions): Weights {
    const { text } = node.query;
    const model = this.#keySpace.spread(text).distinct + HALF;
    let sum = model * otherLikelihood + (node.parent === null ? 0 : this.#keySpace.ending(text));
    for (const extension of extensions)
      if (!this.#isSent(extension.text)) sum += this.extensionWeight(extension, model);
    for (const child of node.children) if (!this.isCounted(child)) sum += this.weightOf(child);
    sum = Math.max(sum, MIN_WEIGHT);
    const outdated = this.#outdatedWeights(node, (share, gained) => (share * sum * gained) / (1 - gained));
    for (const weight of outdated.values()) sum += weight;
    return { sum, model, outdated };
  }

  #overlappingWeights(node: QueryNode, { extensions, otherLikelihood }: NodeExtensions): Weights {
    const { text } = node.query;
    const known = node.parent === null ? this.#keySpace.companies : this.#keySpace.known(text);
    const { companies, matches } = this.#keySpace.spread(text).novelty;
    const sum = known * this.#keySpace.resemblance(text) + companies;
    let novel = otherLikelihood * this.#keySpace.resemblance(text);
    for (const { text: longer, likelihood } of extensions)
      if (!this.#isSent(longer) && this.#keySpace.known(longer) === 0)
        novel += likelihood * this.#keySpace.resemblance(longer);
    const outdated = this.#outdatedWeights(node, (share, gained) => share * sum * gained);
    return { sum, model: matches / Math.max(novel, MIN_WEIGHT), outdated };
  }

  /** Returns `w_i` for an extension that has not been sent. */
  extensionWeight({ text, likelihood }: Pick<Extension, 'text' | 'likelihood'>, model: number): number {
    const known = this.#keySpace.known(text);
    if (!this.#keySpace.overlaps) return known + model * likelihood;
    return (known > 0 ? known : model * likelihood) * this.#keySpace.resemblance(text);
  }

  /**
   * Returns the weights of the queries below a node that were counted before the node was, because new companies may match
   * them by now. `γ` is the share of the unseen companies that joined the registry after that count. These queries have
   * about that share of `W`, in proportion to `c_i + ½`. The weight is `c_i + ½` if `γ` is 1 or unknown.
   */
  #outdatedWeights(
    node: QueryNode,
    weight: (share: number, gained: number) => number,
  ): ReadonlyMap<string, number> {
    const outdated = node.children.filter((child) => this.#isOutdated(child, node));
    const own = (child: QueryNode) => this.#keySpace.known(child.query.text) + HALF;
    const sum = outdated.reduce((total, child) => total + own(child), 0);
    return new Map(
      outdated.map((child) => {
        const { query, state } = child;
        const isKnown = state !== null && !this.#understated.isDue(child);
        const gained = isKnown ? this.#registry.gainedShare(state.listedAtMs) : null;
        const isUnknown = gained === null || gained === 1;
        return [query.text, isUnknown ? own(child) : weight(own(child) / sum, gained)];
      }),
    );
  }

  /** Returns the weight of a query without a total. */
  weightOf(node: QueryNode): number {
    const { text } = node.query;
    const isListing = node.state?.status === 'open';
    return this.#keySpace.overlaps || isListing
      ? (this.#keySpace.known(text) + HALF) * this.#keySpace.resemblance(text)
      : this.weigh(node).sum;
  }

  /**
   * Returns whether the query has its own unseen count, known or estimated. Otherwise, its unseen count is a share of
   * its parent's.
   */
  isCounted(node: QueryNode): boolean {
    const { state, query } = node;
    if (state === null) return !isPairRoot(node);
    return state.status === 'complete' || state.total !== null || this.#keySpace.isAliased(query.text);
  }

  /** Returns whether the query was listed before `parent` was last counted, or listed too few companies. */
  #isOutdated(node: QueryNode, parent: QueryNode): boolean {
    const { state, prediction } = node;
    if (state === null || prediction !== null) return false;
    return state.listedAtMs < this.#countedAtMs(parent) || this.#understated.isDue(node);
  }

  #countedAtMs({ parent, state }: QueryNode): number {
    if (parent === null) return this.#registry.observedAtMs;
    return state?.listedAtMs ?? this.#countedAtMs(parent);
  }

  /**
   * Returns a node's extensions, which are cached. They are recomputed if few unsent extensions remain, if an extension
   * is aliased, if the known texts use a further alphabet, or if the number of known companies has increased by 20%. If
   * names match several queries, an increase by a fifth of the unseen companies also suffices, because each of the last
   * companies found can then add queries for the others.
   */
  extensionsOf(node: QueryNode): NodeExtensions {
    const { extensions: cached } = node;
    if (cached !== null && this.#revisions.isValid(node, cached.checkedAt)) return cached;
    const { companies, alphabets } = this.#keySpace;
    if (cached !== null) {
      cached.checkedAt = this.#revisions.current;
      const open = cached.extensions.filter(({ text }) => !this.#isSent(text)).length;
      const isShort = cached.isTruncated ? open < MIN_OPEN : open === 0 && companies > cached.companies;
      const isAliased = cached.extensions.some(({ text }) => this.#keySpace.isAliased(text));
      const grown = companies - cached.companies;
      const isGrown =
        grown >= GROWTH * cached.companies ||
        (this.#keySpace.overlaps && grown >= GROWTH * this.#registry.unseen);
      const isCurrent = !isGrown && alphabets === cached.alphabets;
      if (!isShort && !isAliased && isCurrent) return cached;
    }
    const { offered, ...others } = this.#keySpace.extensions(node.query.text, this.#isSent);
    node.extensions = {
      extensions: offered,
      ...others,
      companies,
      alphabets,
      checkedAt: this.#revisions.current,
      weights: { sum: MIN_WEIGHT, model: HALF, outdated: NONE },
      weighedAt: -1,
    };
    return node.extensions;
  }
}

const HALF = 0.5;
const NONE: ReadonlyMap<string, number> = new Map();
const MIN_WEIGHT = 1e-9;
const MIN_OPEN = 20;
const GROWTH = 0.2;
