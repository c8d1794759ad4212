import { queryKey, type SearchQuery } from '../../call.ts';
import type { Pending } from '../pending.ts';
import type { Calibration, Prediction } from './calibration.ts';
import type { KeySpace } from './key_space.ts';
import { isUnanswered, type QueryNode } from './query_node.ts';
import { NEXT_PAGE, reasonFor, TRUNCATED_PAGE } from './search_reason.ts';
import { firstPageYield, type ListingLimits, nextPageYield } from './search_yield.ts';
import type { QueryCandidate, UnseenCounts } from './unseen_counts.ts';

/**
 * The next call at a node. It requests `candidate` or, if that is null, the first or next page of the node's own
 * listing.
 */
export interface Action {
  /** The expected number of new companies, after calibration. */
  readonly expectedYield: number;
  /** The score by which actions are ranked (see `NodeActions`). */
  readonly score: number;
  readonly prediction: Prediction;
  readonly candidate: QueryCandidate | null;
}

/**
 * Scores the possible calls at each node in a query tree.
 *
 * The score of an action is
 *
 *     y · (1 + min(u, K) / P)^0.15
 *
 * - `y`: the expected yield, which is the predicted yield multiplied by the calibration for this kind of call;
 * - `u`: the query's unseen count;
 * - `K`: the cap;
 * - `P`: the page size.
 *
 * If two queries have a similar yield, the second factor favours the broader query, because a long listing has this
 * yield on many pages.
 */
export class NodeActions {
  readonly #keySpace: KeySpace;
  readonly #limits: ListingLimits;
  readonly #pending: Pending;
  readonly #unseenCounts: UnseenCounts;
  readonly #listsAll: boolean;
  readonly #hasQueries: boolean;
  readonly #calibration: Calibration;

  /**
   * `listsAll` is true if the empty query lists every company. `hasQueries` is false if the registry has no other query.
   */
  constructor(options: {
    readonly keySpace: KeySpace;
    readonly limits: ListingLimits;
    readonly pending: Pending;
    readonly calibration: Calibration;
    readonly unseenCounts: UnseenCounts;
    readonly listsAll: boolean;
    readonly hasQueries?: boolean;
  }) {
    this.#keySpace = options.keySpace;
    this.#calibration = options.calibration;
    this.#limits = options.limits;
    this.#pending = options.pending;
    this.#unseenCounts = options.unseenCounts;
    this.#listsAll = options.listsAll;
    this.#hasQueries = options.hasQueries ?? true;
  }

  /** Returns the best action, or null if no unseen company is expected. */
  bestOf(node: QueryNode, nowMs: number): Action | null {
    if (isUnanswered(node))
      return this.#actionOf(
        node.query,
        node.prediction ?? { reason: reasonFor('seen', splitBy(node.parent)), expectedYield: MIN_YIELD },
        node.estimate?.unseen ?? 0,
      );
    const unseen = this.#unseenCounts.of(node);
    if (unseen <= 0) return null;
    const split = this.isSplit(node) ? this.#bestCandidate(node) : null;
    const page = this.#nextPage(node, { unseen, split, nowMs });
    return (page?.score ?? 0) > (split?.score ?? 0) ? page : split;
  }

  /** Returns an upper bound on the scores of the node's actions, without evaluating the actions. */
  upperBound(node: QueryNode): number {
    if (isUnanswered(node))
      return (node.prediction?.expectedYield ?? MIN_YIELD) * this.#breadthOf(node.estimate?.unseen ?? 0);
    const unseen = this.#unseenCounts.of(node);
    return Math.min(unseen, this.#limits.pageSize) * this.#breadthOf(unseen);
  }

  /**
   * Returns the next page of the node's listing, or null if no page can be requested now or if the query should be
   * split instead. `split` is the best candidate below the node. A truncated query that cannot be split is listed to
   * the cap.
   */
  #nextPage(
    node: QueryNode,
    options: { readonly unseen: number; readonly split: Action | null; readonly nowMs: number },
  ): Action | null {
    const { unseen, split, nowMs } = options;
    if (!this.#hasNextPage(node, nowMs)) return null;
    const { state } = node;
    const isTruncated = this.isTruncated(node);
    const isBegun = state !== null && !node.isListedFirst;
    if (isTruncated && isBegun && (split?.expectedYield ?? 0) >= MIN_YIELD) return null;
    const matches = { known: this.knownOf(node), unseen };
    const expectedYield = nextPageYield(matches, state?.rows ?? 0, this.#limits);
    const reason = state === null ? reasonFor('seen', null) : isTruncated ? TRUNCATED_PAGE : NEXT_PAGE;
    return this.#actionOf(node.query, { reason, expectedYield }, unseen);
  }

  /** Returns whether the next call can be for a query below the node. */
  isSplit({ parent, state }: QueryNode): boolean {
    if (parent === null || state === null || state.status === 'refused') return true;
    if (state.status !== 'open') return state.status === 'capped';
    return this.#keySpace.overlaps || this.#unseenCounts.exceedsCap(state);
  }

  isTruncated(node: QueryNode): boolean {
    if (node.parent === null) return this.knownOf(node) + this.#unseenCounts.of(node) > this.#limits.window;
    return node.state !== null && this.#unseenCounts.exceedsCap(node.state);
  }

  knownOf({ parent, query }: QueryNode): number {
    return parent === null ? this.#keySpace.companies : this.#keySpace.known(query.text);
  }

  isInFlight(node: QueryNode): boolean {
    const isFirstInFlight = this.#pending.isInFlight('search', queryKey(node.query));
    return isFirstInFlight || this.#pending.isInFlight('search', nextTargetOf(node));
  }

  #hasNextPage(node: QueryNode, nowMs: number): boolean {
    const { state, parent } = node;
    const hasPage =
      state === null
        ? parent === null && this.#listsAll
        : state.status === 'open' && state.rows < this.#limits.window;
    if (!hasPage || (state !== null && state.pages === 0) || this.isInFlight(node)) return false;
    // While a page of the root's query is waiting for a retry, other queries below the root are sent, if there are any.
    return parent !== null || !this.#hasQueries || this.#pending.isFree('search', nextTargetOf(node), nowMs);
  }

  #bestCandidate(node: QueryNode): Action | null {
    let best: Action | null = null;
    if (!this.#hasQueries) return best;
    for (const candidate of this.#unseenCounts.candidatesOf(node)) {
      const expectedYield = candidateYield(candidate, this.#limits);
      const query = { by: this.#keySpace.by, text: candidate.text };
      const reason = reasonFor(candidate.kind, splitBy(node));
      const action = this.#actionOf(query, { reason, expectedYield }, candidate.unseen, candidate);
      if (best === null || action.score > best.score) best = action;
    }
    return best;
  }

  #actionOf(
    query: SearchQuery,
    prediction: Prediction,
    unseen: number,
    candidate: QueryCandidate | null = null,
  ): Action {
    const ratio = this.#calibration.ratio({ query, reason: prediction.reason });
    const expectedYield = prediction.expectedYield * ratio;
    return { expectedYield, score: expectedYield * this.#breadthOf(unseen), prediction, candidate };
  }

  #breadthOf(unseen: number): number {
    const { window, pageSize } = this.#limits;
    return (1 + Math.min(unseen, window) / pageSize) ** BREADTH;
  }
}

/** Returns the target of the next page, as stored in `Pending`. */
function nextTargetOf({ query, state }: QueryNode): string {
  return state === null ? queryKey(query) : `${queryKey(query)}#${state.pages}`;
}

/** Returns the query that a new query below this node splits, or null at the root. */
function splitBy(node: QueryNode | null): string | null {
  return node === null || node.parent === null ? null : node.query.text;
}

/**
 * Predicts how many new companies a call for the candidate finds.
 *
 * - A repeated query: `u / (1 + 6u)`, because it usually takes several repeats to find one new company.
 * - A query with a new character: the character occurs in a name with probability `p`, and then `u / p` unseen
 *   companies match.
 * - Any other query: `firstPageYield`.
 */
function candidateYield({ kind, known, unseen, chance }: QueryCandidate, limits: ListingLimits): number {
  switch (kind) {
    case 'repeat':
      return unseen / (1 + REPEATS_PER_FIND * unseen);
    case 'new character':
      return chance <= 0 ? 0 : chance * firstPageYield({ known, unseen: unseen / chance }, limits);
    default:
      return firstPageYield({ known, unseen }, limits);
  }
}

/**
 * The lowest expected yield at which a call may be made. Above it, the stop rule decides whether a call is worthwhile.
 */
export const MIN_YIELD = 1e-6;
const REPEATS_PER_FIND = 6;
const BREADTH = 0.15;
