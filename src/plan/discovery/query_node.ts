import type { SearchQuery } from '../../call.ts';
import type { QueryState } from '../../knowledge.ts';
import { newListingRatio, type Prediction, type YieldRatio } from './calibration.ts';
import type { Extension } from './key_space.ts';
import type { MatchEstimate } from './search_yield.ts';

/** The rows of one page, compared with the companies known before it. */
export interface PageEvidence {
  readonly rows: number;
  readonly new: number;
  /** Rows that match the query by the assumed query rule. */
  readonly matching: number;
}

/**
 * A node of the query tree: a query that was sent or is in flight. The root is the whole registry. A node whose query ends in
 * a space can be a pair root (see `isPairRoot`).
 */
export interface QueryNode {
  readonly query: SearchQuery;
  /** null: the root. */
  readonly parent: QueryNode | null;
  readonly children: QueryNode[];
  /** null: no response yet. */
  state: QueryState | null;
  /** The last page; null: another process received it. */
  page: PageEvidence | null;
  /** The estimate made before it was sent; null: another process sent it. */
  estimate: MatchEstimate | null;
  /** Compared with the next response; null: no call was planned. */
  prediction: Prediction | null;
  /** Of the pages of its listing, if it is truncated. */
  readonly pageRatio: YieldRatio;
  /** Is the truncated listing read to the cap before the query is split? */
  isListedFirst: boolean;
  /** null: not computed yet. */
  extensions: NodeExtensions | null;
  /** The revision of the last change to this node or to one below it. */
  changedAt: number;
  /** The number of its valid entry in the frontier; entries with other numbers are outdated. */
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
  /** The revision at which they were last found valid. */
  checkedAt: number;
  weights: Weights;
  /** The revision of `weights`; -1: not computed. */
  weighedAt: number;
}

/** Weights of the Dirichlet predictive (see `ExtensionWeights`). */
export interface Weights {
  /** `W`: the sum over everything below the node that can contain unseen companies. */
  readonly sum: number;
  /** `a`: the total weight of the name model. */
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

/** Is it `word `, the parent of all pairs with this word? A pair root is never sent. */
export function isPairRoot({ query, state, estimate }: QueryNode): boolean {
  return query.text.endsWith(' ') && state === null && estimate === null;
}

/** Is its first page in flight, or waiting for a retry? */
export function isUnanswered({ state, estimate }: QueryNode): boolean {
  return state === null && estimate !== null;
}
