import { FIRST_PAGE, type SearchCall, type SearchQuery } from '../../call.ts';
import type { QueryState } from '../../knowledge.ts';
import type { Pending } from '../pending.ts';
import type { Calibration } from './calibration.ts';
import { Frontier } from './frontier.ts';
import type { KeySpace } from './key_space.ts';
import { type Action, MIN_YIELD, NodeActions } from './node_actions.ts';
import { isPairRoot, type PageEvidence, type QueryNode } from './query_node.ts';
import { QueryNodes } from './query_nodes.ts';
import type { RegistryCount } from './registry_unseen.ts';
import { type ListingLimits, listingPays } from './search_yield.ts';
import { type QueryCandidate, UnseenCounts } from './unseen_counts.ts';

/**
 * A best-first search over the queries in one key space. Listings below the cap are read to the end, and truncated
 * queries are split into their extensions (Sheng, Zhang, Tao and Jin, PVLDB 5(11), 2012). The next call is for the
 * query with the most expected new companies per call, as estimated from the known companies (Ntoulas, Zerfos and Cho,
 * JCDL 2005).
 */
export class QueryTree {
  readonly #keySpace: KeySpace;
  readonly #limits: ListingLimits;
  readonly #pending: Pending;
  readonly #unseenCounts: UnseenCounts;
  readonly #calibration: Calibration;
  readonly #actions: NodeActions;
  readonly #nodes: QueryNodes;
  readonly #frontier: Frontier<Action>;
  readonly #listsAll: boolean;
  readonly #scope: string;
  #nowMs = Number.NEGATIVE_INFINITY;

  constructor(options: {
    readonly keySpace: KeySpace;
    readonly limits: ListingLimits;
    readonly pending: Pending;
    readonly calibration: Calibration;
    /** Whether the empty query lists every company. */
    readonly listsAll?: boolean;
    /** Whether the registry has queries besides the empty one. */
    readonly hasQueries?: boolean;
    /** The query at the root, whose companies the tree searches. Without it, the tree searches the whole registry. */
    readonly scope?: string;
  }) {
    const { keySpace, limits, pending, calibration, listsAll = false, scope = '' } = options;
    this.#keySpace = keySpace;
    this.#limits = limits;
    this.#pending = pending;
    this.#calibration = calibration;
    this.#listsAll = listsAll;
    this.#scope = scope;
    this.#nodes = new QueryNodes(keySpace, (node) => this.#unseenCounts.invalidate(node), scope);
    this.#unseenCounts = new UnseenCounts(keySpace, limits, (query) => this.#nodes.get(query));
    this.#actions = new NodeActions({
      keySpace,
      limits,
      pending,
      calibration,
      unseenCounts: this.#unseenCounts,
      listsAll,
      hasQueries: options.hasQueries ?? true,
    });
    this.#frontier = new Frontier({
      nodes: () => this.#nodes.all(),
      upperBound: (node) => this.#actions.upperBound(node),
      actionOf: (node) => this.#actions.bestOf(node, this.#nowMs),
      minYield: MIN_YIELD,
    });
  }

  /** Adds the queries sent in earlier runs. Call it once, after every known company has been added to the key space. */
  start(states: readonly QueryState[]): void {
    for (const state of states.toSorted((a, b) => a.query.text.length - b.query.text.length)) {
      if (!this.#isInTree(state.query) || this.#isUncountedPair(state.query.text)) continue;
      const node = this.#nodes.at(state.query.text);
      node.state = state;
      this.#reach(node, state);
    }
    this.#unseenCounts.invalidate(null);
    for (const node of this.#nodes.all()) this.#decideSplit(node);
    this.#frontier.insertAll();
  }

  /** The estimated number of unseen companies in the whole registry. */
  get unseenInAll(): number {
    return this.#unseenCounts.of(this.#nodes.root);
  }

  /** The expected yield of the best call; 0 if there is none. */
  get bestYield(): number {
    const best = this.#frontier.takeBest();
    if (best === null) return 0;
    this.#frontier.insert(best.node);
    return best.action.expectedYield;
  }

  /**
   * Returns the expected yield of the next page of the empty query. It is 0 if no page can be requested now or if
   * splitting is better.
   */
  emptyQueryYield(nowMs: number): number {
    this.#nowMs = nowMs;
    const action = this.#actions.bestOf(this.#nodes.root, this.#nowMs);
    return action?.candidate === null ? action.expectedYield : 0;
  }

  /** Whether the empty query lists every company and its listing is not truncated. */
  get canListAll(): boolean {
    return this.#listsAll && !this.#actions.isTruncated(this.#nodes.root);
  }

  /** Whether a page of such a listing is in flight. Another call could then only repeat the companies on that page. */
  get isListingAll(): boolean {
    return this.canListAll && this.#actions.isInFlight(this.#nodes.root);
  }

  setRegistryCount(registryCount: RegistryCount): void {
    if (this.#unseenCounts.setRegistryCount(registryCount)) this.#frontier.insert(this.#nodes.root);
  }

  /**
   * Adds companies found by calls outside this tree. If one of them matches only the root, the root's extensions are
   * recomputed.
   */
  addFound(texts: readonly string[]): void {
    const { root } = this.#nodes;
    this.#unseenCounts.invalidate(null);
    this.#frontier.markStale({ areMany: false });
    if (texts.some((text) => this.#nodes.parentOf(text) === root)) root.extensions = null;
    this.#frontier.insert(root);
  }

  recordResponse(state: QueryState, page: PageEvidence): void {
    if (!this.#isInTree(state.query)) return;
    const node = this.#nodes.at(state.query.text);
    if (node.prediction !== null)
      this.#calibration.learn({ query: node.query, ...node.prediction }, page.new);
    Object.assign(node, { state, page, prediction: null });
    this.#reach(node, state);
    this.#unseenCounts.recordResponse(node);
    this.#unseenCounts.invalidate(node);
    // Estimates for pairs depend on the response to their first word.
    const pairRoots = node.children.filter(isPairRoot);
    for (const pairRoot of pairRoots) this.#unseenCounts.invalidate(pairRoot);
    // Without a total, the unseen count of a query is a share of its parent's. One response then changes many counts.
    this.#frontier.markStale({ areMany: state.total === null });
    this.#decideSplit(node);
    for (const one of [node, node.parent, ...node.children.filter(isPairRoot)])
      if (one !== null) this.#frontier.insert(one);
  }

  #reach(node: QueryNode, state: QueryState): void {
    const total = state.total ?? Math.max(state.rows, this.#keySpace.known(node.query.text));
    this.#keySpace.recordListing(
      node.query.text,
      state.status === 'complete' ? 1 : state.rows / Math.max(1, total),
    );
  }

  /** Makes a query a candidate again if its call failed or was not sent. */
  reconsider(query: SearchQuery): void {
    const node = this.#nodes.get(query.text);
    if (node === undefined) return;
    if (node.state !== null) {
      node.prediction = null;
      this.#unseenCounts.invalidate(node);
      if (node.parent !== null) this.#frontier.insert(node.parent);
    }
    this.#frontier.insert(node);
  }

  /** Returns the best call, or null if there is none or the empty query is being listed. The call is then in flight. */
  next(nowMs: number): SearchCall | null {
    let call: SearchCall | null = null;
    const setAside = new Set<QueryNode>();
    this.#nowMs = nowMs;
    while (call === null && !this.isListingAll) {
      const best = this.#frontier.takeBest();
      if (best === null) break;
      const { node, action } = best;
      const target = action.candidate === null ? node : this.#addCandidate(action.candidate, node);
      const proposed = this.#callOf(target, action);
      target.prediction = action.prediction;
      this.#unseenCounts.invalidate(target);
      if (this.#pending.reserve(proposed, nowMs)) call = proposed;
      else setAside.add(target);
      // If a new query is waiting for a retry, its parent is inserted again immediately, because the parent's
      // candidates do not include the query. If the query is a repeated query, its parent is set aside, because the
      // same query would be chosen again.
      if (target !== node && (call !== null || target.state === null)) this.#frontier.insert(node);
      else setAside.add(node);
    }
    for (const node of setAside) if (!this.#actions.isInFlight(node)) this.#frontier.insert(node);
    return call;
  }

  /**
   * Returns how many calls read the rest of a planned query's listing, to its end or to the cap. An identifier's prefix is
   * often the only one that is planned, so all companies that it finds are counted, even if it must be split.
   */
  callsFor({ by, text }: SearchQuery): number {
    const node = this.#nodes.get(text);
    if (node === undefined) return 1;
    const { state, estimate } = node;
    const isEstimated = state === null && estimate !== null;
    const { known, unseen } = isEstimated
      ? estimate
      : { known: this.#actions.knownOf(node), unseen: this.#unseenCounts.of(node) };
    const { window, pageSize } = this.#limits;
    const total = state?.total ?? known + unseen;
    const read = state?.rows ?? 0;
    if (by === 'identifier' && total > window) return Math.ceil((CALLS_PER_SPLIT_PAGE * unseen) / pageSize);
    return Math.max(1, Math.ceil((Math.min(total, window) - read) / pageSize));
  }

  /** Whether a common character of a script with thousands of characters has not been sent as a first character yet. */
  get isInventoryOpen(): boolean {
    return this.#keySpace.hasInventory && this.#unseenCounts.hasNewCharacters(this.#nodes.root);
  }

  /**
   * Decides how a truncated query is split. A query that is a whole word is split into pairs. If it pays off, the query
   * is first listed up to the cap.
   */
  #decideSplit(node: QueryNode): void {
    const { state } = node;
    if (state === null || !this.#actions.isSplit(node)) return;
    const isTruncated = state.status !== 'open' || this.#actions.isTruncated(node);
    if (isTruncated && this.#isWord(node) && this.#pairsWith(node))
      this.#nodes.at(`${node.query.text} `, node);
    if (state.status !== 'open' || !isTruncated || node.isListedFirst) return;
    const whole = { known: this.#actions.knownOf(node), unseen: this.#unseenCounts.of(node) };
    const parts = this.#unseenCounts.candidatesOf(node).filter(({ kind }) => kind !== 'pair');
    node.isListedFirst = listingPays({ whole, parts, rows: state.rows, limits: this.#limits });
  }

  /**
   * Returns whether the query is a whole word in at least half of the known names that match it, so that longer words
   * match few of them.
   */
  #isWord({ query: { text } }: QueryNode): boolean {
    if (!this.#keySpace.takesPairs || text === '' || text.includes(' ')) return false;
    return 2 * this.#keySpace.ending(text) >= this.#keySpace.known(text);
  }

  #pairsWith(node: QueryNode): boolean {
    return this.#keySpace.pairsWith(node.query.text, () => this.#unseenCounts.of(node));
  }

  /**
   * Returns whether the text is a pair and pairs with its first word are not worth counting. If so, an earlier response
   * to the pair cannot be used.
   */
  #isUncountedPair(text: string): boolean {
    const space = this.#keySpace.takesPairs ? text.indexOf(' ') : -1;
    const word = space === -1 ? undefined : this.#nodes.get(text.slice(0, space));
    return word !== undefined && !this.#pairsWith(word);
  }

  /** Returns whether the query belongs in the tree. The root's query belongs there only if it lists every company. */
  #isInTree({ text }: SearchQuery): boolean {
    return text === this.#scope ? this.#listsAll : text.startsWith(this.#scope);
  }

  /** Adds a candidate's node. Until a response is received, the candidate's estimate serves as its unseen count. */
  #addCandidate({ text, known, unseen }: QueryCandidate, parent: QueryNode): QueryNode {
    const node = this.#nodes.at(text, parent);
    node.estimate = { known, unseen };
    this.#unseenCounts.invalidate(node);
    return node;
  }

  #callOf(
    { query, state }: QueryNode,
    { expectedYield, candidate, prediction: { reason } }: Action,
  ): SearchCall {
    const expected = Math.round(expectedYield * 1000) / 1000;
    const isFirst = candidate !== null || state === null;
    const page = isFirst ? FIRST_PAGE : { index: state.pages, next: state.next };
    return { kind: 'search', query, page, reason, expected };
  }
}

/** The mean number of calls that list a page of companies below a query that is split. */
const CALLS_PER_SPLIT_PAGE = 2.5;
