import type { SearchQuery } from '../../call.ts';
import type { QueryState } from '../../knowledge.ts';
import type { Prediction } from './calibration.ts';
import type { Extension } from './known_texts.ts';
import type { MatchEstimate } from './search_yield.ts';

/** How one page compares with the companies known before it. */
export interface PageEvidence {
  readonly rows: number;
  readonly new: number;
  /** The number of rows that match the query under the assumed query rule. */
  readonly matching: number;
}

/**
 * A node in the query tree: a query that was sent or is in flight. The root represents the whole registry. If a node's
 * query ends with a space, the node can be a pair root (see `isPairRoot`).
 */
export interface QueryNode {
  readonly query: SearchQuery;
  /** The parent; null for the root. */
  readonly parent: QueryNode | null;
  readonly children: QueryNode[];
  /** The query's state; null until a response is received. */
  state: QueryState | null;
  /** The last page received; null if no page has been received yet or if another process received it. */
  page: PageEvidence | null;
  /** The estimate made before the query was sent; null if another process sent it. */
  estimate: MatchEstimate | null;
  /** The prediction for the planned call, to be compared with the response; null if no call is planned. */
  prediction: Prediction | null;
  /** Whether the truncated query is listed up to the cap before it is split. */
  isListedFirst: boolean;
  /** The extensions; null until computed. */
  extensions: NodeExtensions | null;
  /** The revision at which this node or a node below it last changed. */
  changedAt: number;
  /** Identifies this node's valid entry in the frontier. Entries with other numbers are outdated. */
  entry: number;
}

export interface NodeExtensions {
  extensions: readonly Extension[];
  otherLikelihood: number;
  sentLikelihood: number;
  isTruncated: boolean;
  /** The number of known companies when the extensions were computed. */
  companies: number;
  /** The number of alphabets that known texts used then. */
  alphabets: number;
  /** The revision at which the extensions were last checked. */
  checkedAt: number;
  weights: Weights;
  /** The revision at which `weights` was computed; -1 if it was never computed. */
  weighedAt: number;
}

/** The weights of the Dirichlet predictive distribution (see `ExtensionWeights`). */
export interface Weights {
  /** `W`: the sum of all weights below the node. */
  readonly sum: number;
  /** `a`: the total weight given to the name model. */
  readonly model: number;
  /** The weights of the queries that were counted before their parent was. */
  readonly outdated: ReadonlyMap<string, number>;
}

export function newQueryNode(query: SearchQuery, parent: QueryNode | null): QueryNode {
  return {
    query,
    parent,
    children: [],
    state: null,
    page: null,
    estimate: null,
    prediction: null,
    isListedFirst: false,
    extensions: null,
    changedAt: 0,
    entry: 0,
  };
}

/**
 * Returns whether the node is a pair root. A pair root is a query such as `word `, and is the parent of all pairs with
 * this word. It is never sent.
 */
export function isPairRoot({ query, state, estimate }: QueryNode): boolean {
  return query.text.endsWith(' ') && state === null && estimate === null;
}

/** Returns whether the first page is in flight or waiting for a retry. */
export function isUnanswered({ state, estimate }: QueryNode): boolean {
  return state === null && estimate !== null;
}
