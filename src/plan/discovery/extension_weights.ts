import type { KeySpace } from './key_space.ts';
import type { Extension } from './known_texts.ts';
import { isPairRoot, type NodeExtensions, type QueryNode, type Weights } from './query_node.ts';
import type { RegistryUnseen } from './registry_unseen.ts';
import type { Revisions } from './revisions.ts';
import type { UnderstatedListings } from './understated_listings.ts';

/**
 * Computes the weights of a query's extensions. The query's unseen companies are divided among the extensions in
 * proportion to these weights, which form a Dirichlet predictive distribution.
 *
 * Extension `i` has the weight `w_i = (c_i + a · g_i) · r_i`:
 *
 * - `c_i`: the number of known companies that match the extension;
 * - `g_i`: the probability that the name model gives the extension;
 * - `a`: the number of distinct extensions that match a known company, plus ½. If names match
 *   several queries, `a` is the number of known companies for the first letter of a script that no known name uses. No
 *   search in another script finds such names.
 * - `r_i`: how much the known companies that match the extension resemble unseen ones (see `CaptureSample`). It is 1 if
 *   each name matches only one query. Otherwise, the first four terms below are multiplied by their own `r`.
 *
 * The sum `W` has one term for each place below the query where unseen companies can be:
 *
 * - an extension that has not been sent: `w_i`;
 * - all extensions that the key space does not offer: `a` times their total probability;
 * - companies that match no extension: the number of known companies that match none (`ending`). This term is 0 for the
 *   root, and for a word that has been split into pairs of words;
 * - an extension for which the upstream reports no total: `c_i + ½` during its listing, then its own `W`;
 * - an extension that was counted before its parent, because new companies may match it by now. `γ_i` is the share of the
 *   unseen companies that joined the registry after that count. These extensions have about that share of `W`, in
 *   proportion to `c_i + ½`. The term is `c_i + ½` if `γ_i` is 1 or unknown;
 * - each counted extension in an overlapping key space: `0.003 · c_i`.
 *
 * The last term compensates for an estimation error. Because only the mean number of words per company is known, the
 * estimate for the other extensions can wrongly be zero.
 *
 * With `α_i = a · g_i`, the weights form the predictive distribution `(c_i + α_i) / (C + Σ α)` of a Dirichlet prior.
 * Source: MacKay and Peto, "A hierarchical Dirichlet language model" (Natural Language Engineering 1(3), 1995). The
 * choice of `a` is empirical.
 */
export class ExtensionWeights {
  readonly #keySpace: KeySpace;
  readonly #isSent: (query: string) => boolean;
  readonly #mostUnseen: (query: string) => number;
  readonly #registry: RegistryUnseen;
  readonly #revisions: Revisions;
  readonly #understated: UnderstatedListings;

  constructor(options: {
    readonly keySpace: KeySpace;
    readonly isSent: (query: string) => boolean;
    /** Returns an upper bound on the number of unseen companies that match the query. */
    readonly mostUnseen: (query: string) => number;
    readonly registry: RegistryUnseen;
    readonly revisions: Revisions;
    readonly understated: UnderstatedListings;
  }) {
    this.#keySpace = options.keySpace;
    this.#isSent = options.isSent;
    this.#mostUnseen = options.mostUnseen;
    this.#registry = options.registry;
    this.#revisions = options.revisions;
    this.#understated = options.understated;
  }

  /** Computes `W` and `a` for a node. */
  weigh(node: QueryNode): Weights {
    const extensions = this.extensionsOf(node);
    if (this.#revisions.isValid(node, extensions.weighedAt)) return extensions.weights;
    const { text } = node.query;
    const model = this.#keySpace.spread(text).distinct + HALF;
    let sum = model * extensions.otherLikelihood * this.#keySpace.resemblance(text);
    if (node.parent !== null && !node.children.some(isPairRoot))
      sum += this.#keySpace.ending(text) * this.#keySpace.resemblance(text);
    for (const { text: longer, likelihood } of extensions.extensions)
      if (!this.#isSent(longer) && this.#mostUnseen(longer) > 0)
        sum += this.extensionWeight({ text: longer, likelihood }, node, model);
    for (const child of node.children) {
      if (this.#keySpace.overlaps && this.isCounted(child))
        sum += OVERLAP_WEIGHT * this.#keySpace.known(child.query.text);
      if (!this.isCounted(child)) sum += this.weightOf(child);
    }
    sum = Math.max(sum, MIN_WEIGHT);
    const outdated = this.#outdatedWeights(node, sum);
    for (const child of node.children) if (this.isCounted(child)) sum += outdated.get(child.query.text) ?? 0;
    extensions.weights = { sum, model, outdated };
    extensions.weighedAt = this.#revisions.current;
    return extensions.weights;
  }

  /** Returns `w_i` for an extension of the node that has not been sent. */
  extensionWeight(
    { text, likelihood }: Pick<Extension, 'text' | 'likelihood'>,
    node: QueryNode,
    model: number,
  ): number {
    const isForeign = this.#keySpace.overlaps && node.parent === null && this.#keySpace.isForeign(text);
    const prior = isForeign ? Math.max(model, this.#keySpace.companies) : model;
    return (this.#keySpace.known(text) + prior * likelihood) * this.#keySpace.resemblance(text);
  }

  /**
   * Returns the weights of the queries below a node that were counted before the node was. `others` is the sum of all other
   * weights.
   */
  #outdatedWeights(node: QueryNode, others: number): ReadonlyMap<string, number> {
    const outdated = node.children.filter((child) => this.#isOutdated(child, node));
    const own = (child: QueryNode) => this.#keySpace.known(child.query.text) + HALF;
    const sum = outdated.reduce((total, child) => total + own(child), 0);
    return new Map(
      outdated.map((child) => {
        const { query, state } = child;
        const isKnown = state !== null && !this.#understated.isDue(child);
        const gained = isKnown ? this.#registry.gainedShare(state.listedAtMs) : null;
        const share = own(child) / sum;
        const weight =
          gained === null || gained === 1 ? own(child) : (share * others * gained) / (1 - gained);
        return [query.text, weight];
      }),
    );
  }

  /** Returns the weight of a query without a total. The weight is one term in its parent's `W`. */
  weightOf(node: QueryNode): number {
    const { text } = node.query;
    if (node.state?.status === 'open')
      return (this.#keySpace.known(text) + HALF) * this.#keySpace.resemblance(text);
    const { sum } = this.weigh(node);
    return isPairRoot(node) ? sum / this.#keySpace.spread(text).perCompany : sum;
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
const OVERLAP_WEIGHT = 0.003;
const MIN_WEIGHT = 1e-9;
const MIN_OPEN = 20;
const GROWTH = 0.2;
