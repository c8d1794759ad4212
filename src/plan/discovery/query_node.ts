import type { SearchQuery } from '../../call.ts';
import type { QueryState } from '../../knowledge.ts';
import { newListingRatio, type Prediction, type YieldRatio } from './calibration.ts';
import type { Extension } from './key_space.ts';
import type { MatchEstimate } from './search_yield.ts';

/** The comparison of one page with the companies known before it. */
export interface PageEvidence {
  readonly rows: number;
  readonly new: number;
  /** The number of rows that match the query under the assumed query rule. */
  readonly matching: number;
}

/**
 * A node of the query tree, which is a query that was sent or is in flight. The root represents the whole registry. A
 * node whose query ends with a space can be a pair root (see `isPairRoot`).
 */
export interface QueryNode {
  readonly query: SearchQuery;
  /** The parent; null for the root. */
  readonly parent: QueryNode | null;
  readonly children: QueryNode[];
  /** The state of the query; null until a response is received. */
  state: QueryState | null;
  /** The last received page; null if there is none yet or if another process received it. */
  page: PageEvidence | null;
  /** The estimate made before the query was sent; null if another process sent it. */
  estimate: MatchEstimate | null;
  /** The prediction for the planned call, which is compared with its response; null if no call is planned. */
  prediction: Prediction | null;
  /** The ratio of actual to predicted yield on the pages of this listing, if it is truncated. */
  readonly pageRatio: YieldRatio;
  /** Whether the truncated query is listed to the cap before it is split. */
  isListedFirst: boolean;
  /** The extensions; null until computed. */
  extensions: NodeExtensions | null;
  /** The revision of the last change to this node or to a node below it. */
  changedAt: number;
  /** The number of this node's valid entry in the frontier. Its entries with other numbers are outdated. */
  entry: number;
}

/** The extensions of a node, with their weights. */
export interface NodeExtensions {
  extensions: readonly Extension[];
  otherLikelihood: number;
  sentLikelihood: number;
  isTruncated: boolean;
  /** The number of known companies when the extensions were computed. */
  companies: number;
  /** The revision at which the extensions were last checked. */
  checkedAt: number;
  weights: Weights;
  /** The revision at which `weights` was computed; -1 if it was never computed. */
  weighedAt: number;
}

/** The weights of the Dirichlet predictive distribution (see `ExtensionWeights`). */
export interface Weights {
  /** `W`: the sum over everything below the node that can contain unseen companies. */
  readonly sum: number;
  /** `a`: the total weight given to the name model. */
  readonly model: number;
  /** The weights of the queries that were counted before their parent. */
  readonly outdated: ReadonlyMap<string, number>;
}

export function newQueryNode(query: SearchQuery, parent: QueryNode | null): QueryNode {
  return {
    ...{ query, parent, children: [], state: null, page: null, estimate: null },
    ...{ prediction: null, pageRatio: newListingRatio(), isListedFirst: false, extensions: null },
    ...{ changedAt: 0, entry: 0 },
  };
}

/**
 * Whether the node is a pair root. A pair root is a query such as `word ` and the parent of all pairs with this word.
 * It is never sent.
 */
export function isPairRoot({ query, state, estimate }: QueryNode): boolean {
  return query.text.endsWith(' ') && state === null && estimate === null;
}

/** Whether the first page is in flight or waiting for a retry. */
export function isUnanswered({ state, estimate }: QueryNode): boolean {
  return state === null && estimate !== null;
}
