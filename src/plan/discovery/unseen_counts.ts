import type { QueryState } from '../../knowledge.ts';
import { ExtensionWeights } from './extension_weights.ts';
import type { KeySpace } from './key_space.ts';
import { isPairRoot, type QueryNode } from './query_node.ts';
import { type RegistryCount, RegistryUnseen, UNNOTICED_SHARE } from './registry_unseen.ts';
import { Revisions } from './revisions.ts';
import type { Kind } from './search_reason.ts';
import type { ListingLimits, MatchEstimate } from './search_yield.ts';
import { UnderstatedListings } from './understated_listings.ts';

/** A query that can be sent now, and the estimated number of companies that match it. */
export interface QueryCandidate extends MatchEstimate {
  readonly text: string;
  readonly kind: Kind;
  /** The probability that at least one unseen company matches. */
  readonly chance: number;
}

/**
 * Estimates the number of unseen companies that match each query.
 *
 * The unseen count of a query that has been sent is `u = T − c`: the upstream's total minus the number of known
 * companies that match. An extension `i` that has not been sent gets a share of its parent's unseen count:
 *
 *     u_i = min(u, G · w_i / W),  G = u · s − Σ u_j
 *
 * The share never exceeds the unseen count of a query that covers the extension. For example, `limited ac` matches only
 * companies that `ac` also matches.
 *
 * - `G`: the part of the unseen count that the counted extensions `j` do not explain;
 * - `s`: the mean number of extensions that one company matches. It exceeds 1 only if a query can find a company by
 *   several words;
 * - `w_i` and `W`: the weights and their sum (see `ExtensionWeights`).
 */
export class UnseenCounts {
  readonly #keySpace: KeySpace;
  readonly #limits: ListingLimits;
  readonly #nodeOf: (query: string) => QueryNode | undefined;
  readonly #registry: RegistryUnseen;
  readonly #revisions: Revisions;
  readonly #weights: ExtensionWeights;
  readonly #understated: UnderstatedListings;
  /** The cached result of `#unseenBelow`, and the revision at which it was computed. */
  #rootUnseen = { revision: -1, companies: 0 };

  constructor(keySpace: KeySpace, limits: ListingLimits, nodeOf: (query: string) => QueryNode | undefined) {
    this.#keySpace = keySpace;
    this.#limits = limits;
    this.#nodeOf = nodeOf;
    this.#registry = new RegistryUnseen(keySpace, limits);
    this.#revisions = new Revisions(keySpace);
    this.#understated = new UnderstatedListings(keySpace);
    this.#weights = new ExtensionWeights({
      keySpace,
      registry: this.#registry,
      revisions: this.#revisions,
      understated: this.#understated,
      isSent: (query) => this.#isSent(query),
      mostUnseen: (query) => this.#mostUnseen(query),
    });
  }

  /** Sets the registry count, and returns whether it changed. */
  setRegistryCount(registryCount: RegistryCount): boolean {
    const isChanged = this.#registry.setCount(registryCount);
    if (isChanged) this.invalidate(null);
    return isChanged;
  }

  recordResponse(node: QueryNode): void {
    this.#understated.recordResponse(node);
  }

  /**
   * Invalidates the estimates for a node and its ancestors after a call was planned or a response was received. If
   * `node` is null, it invalidates the estimates for every node.
   */
  invalidate(node: QueryNode | null): void {
    this.#revisions.invalidate(node);
  }

  /**
   * Estimates the number of unseen companies that match a node's query. Let `L = T − rows` be the number of rows that
   * have not been received.
   *
   * - In most cases, the estimate is `min(L, max(0, T − c))`.
   * - If the query rule does not fit the names, it is `L · (new + ½) / (rows + 1)`. Fewer than half of the rows on the
   *   last page then match the query, or `c` exceeds `T` by more than 2%. Rows can add words to a name that no search
   *   finds.
   * - If the upstream reports no total, it is the share `G · w / W` of the parent's unseen count.
   */
  of(node: QueryNode): number {
    if (node.parent === null) return Math.max(this.#registry.unseen, this.#unseenBelow(node));
    const { state, page, estimate } = node;
    if (isPairRoot(node)) return this.#shareOfParent(node, node.parent);
    if (state === null) return estimate?.unseen ?? 0;
    if (state.status === 'complete' || this.#keySpace.isAliased(node.query.text)) return 0;
    const unlisted = state.total === null ? this.#limits.pageSize : Math.max(0, state.total - state.rows);
    const missing = state.total === null ? null : state.total - this.#keySpace.known(node.query.text);
    const isRefuted = missing !== null && -missing > UNNOTICED_SHARE * (state.total ?? 0);
    const isOther = page !== null && 2 * page.matching < page.rows;
    if (isRefuted || isOther)
      return (unlisted * ((page?.new ?? 0) + HALF)) / ((page?.rows ?? this.#limits.pageSize) + 1);
    return missing === null
      ? this.#shareOfParent(node, node.parent)
      : Math.min(unlisted, Math.max(0, missing));
  }

  /**
   * Returns the queries below a node that can be sent now. The number of unseen companies below an identifier prefix
   * has a negative binomial distribution with shape `w_i` and mean `u_i`. The probability of at least one (`chance`) is
   * therefore `1 − (1 + G/W)^(−w_i)`. For names, `chance` is 1, because in a large registry, names begin with every
   * letter.
   */
  candidatesOf(node: QueryNode): QueryCandidate[] {
    const unexplained = this.#unexplained(node);
    if (unexplained <= 0) return [];
    const maxUnseen = this.of(node);
    const { sum, model, outdated } = this.#weights.weigh(node);
    const candidates: QueryCandidate[] = [];
    const add = (text: string, known: number, weight: number, kind: Kind) =>
      candidates.push({
        text,
        known,
        kind,
        unseen: Math.min(maxUnseen, this.#mostUnseen(text), (unexplained * weight) / sum),
        chance: this.#keySpace.by === 'name' ? 1 : 1 - (1 + unexplained / sum) ** -weight,
      });
    for (const extension of this.#weights.extensionsOf(node).extensions) {
      const { text, hasNewCharacter } = extension;
      if (this.#isSent(text)) continue;
      const known = this.#keySpace.known(text);
      const weight = this.#weights.extensionWeight(extension, node, model);
      add(text, known, weight, this.#kindOf(text, known, hasNewCharacter));
    }
    for (const [text, weight] of outdated) {
      const known = this.#keySpace.known(text);
      add(text, known, weight, this.#isUnderstated(text) ? 'understated' : 'repeat');
    }
    return candidates;
  }

  /** Returns whether an unsent extension ends with a character that occurs in no known text. */
  hasNewCharacters(node: QueryNode): boolean {
    const { extensions } = this.#weights.extensionsOf(node);
    return extensions.some(({ text, hasNewCharacter }) => hasNewCharacter && !this.#isSent(text));
  }

  #isSent(query: string): boolean {
    return this.#nodeOf(query) !== undefined;
  }

  #isUnderstated(query: string): boolean {
    const node = this.#nodeOf(query);
    return node !== undefined && this.#understated.isDue(node);
  }

  /**
   * Returns the upper bound that a query's covering queries put on its unseen count, or Infinity if there is none.
   * Listings older than the registry count are ignored.
   */
  #mostUnseen(query: string): number {
    let most = Number.POSITIVE_INFINITY;
    for (const covering of this.#keySpace.covering(query)) {
      const node = this.#nodeOf(covering);
      if (node === undefined || node.state === null || !this.#weights.isCounted(node)) continue;
      const isOutdated = node.state.listedAtMs < this.#registry.observedAtMs || this.#understated.isDue(node);
      if (isOutdated || this.#keySpace.isAliased(covering)) continue;
      most = Math.min(most, this.of(node));
    }
    return most;
  }

  exceedsCap({ total }: QueryState): boolean {
    return total !== null && total > this.#limits.window;
  }

  #kindOf(text: string, known: number, hasNewCharacter: boolean): Kind {
    if (this.#keySpace.takesPairs && text.includes(' ')) return 'pair';
    return known > 0 ? 'seen' : hasNewCharacter ? 'new character' : 'unseen';
  }

  /**
   * Returns `G`: the part of a node's unseen count that the counted queries below the node do not explain. If queries
   * overlap, some can explain too much, such as a city that is also in addresses. A small part therefore remains as long as
   * the registry count proves that companies are missing.
   */
  #unexplained(node: QueryNode): number {
    const unseen = this.of(node);
    let unexplained = unseen * this.#keySpace.spread(node.query.text).perCompany;
    for (const child of node.children) if (this.#weights.isCounted(child)) unexplained -= this.of(child);
    const isProven = this.#keySpace.overlaps && this.#registry.isCounted;
    return isProven ? Math.max(unexplained, ALWAYS_UNEXPLAINED * unseen) : unexplained;
  }

  #shareOfParent(node: QueryNode, parent: QueryNode): number {
    const weight = this.#weights.weightOf(node);
    return Math.max(0, (this.#unexplained(parent) * weight) / this.#weights.weigh(parent).sum);
  }

  /**
   * Estimates the number of unseen companies in the whole registry from the totals of the queries below the root. The
   * result is 0 if there is a registry count.
   *
   * Let `S` be the total probability that the name model gives to the sent extensions. At least `Σ (u_j + c_j)` companies
   * match the sent extensions, which is the share `S` of all companies. `u_j` is 0 if the upstream reports no total. So an
   * estimated `Σ (u_j + c_j) · (1 − S) / S` companies match other extensions, and the known companies among those are
   * subtracted. Without this correction, a few queries would wrongly explain all unseen companies in the registry.
   */
  #unseenBelow(root: QueryNode): number {
    if (this.#registry.isCounted) return 0;
    if (this.#rootUnseen.revision === this.#revisions.current) return this.#rootUnseen.companies;
    const { extensions, sentLikelihood } = this.#weights.extensionsOf(root);
    let [sentShare, sentCompanies, unseen, otherKnown] = [sentLikelihood, 0, 0, 0];
    for (const { text, likelihood } of extensions) {
      if (this.#isSent(text)) sentShare += likelihood;
      else otherKnown += this.#keySpace.known(text);
    }
    for (const child of root.children) {
      if (child.state === null) continue;
      const missing = this.#weights.isCounted(child) ? this.of(child) : 0;
      unseen += missing;
      sentCompanies += missing + this.#keySpace.known(child.query.text);
    }
    const others =
      sentShare < MIN_SENT_SHARE
        ? 0
        : Math.max(0, (sentCompanies * (1 - sentShare)) / sentShare - otherKnown);
    const companies = (unseen + others) / this.#keySpace.spread('').perCompany;
    this.#rootUnseen = { revision: this.#revisions.current, companies };
    return companies;
  }
}

const HALF = 0.5;
const ALWAYS_UNEXPLAINED = 0.1;
// Below this value of `S`, the ratio `(1 − S) / S` is unreliable.
const MIN_SENT_SHARE = 0.02;
