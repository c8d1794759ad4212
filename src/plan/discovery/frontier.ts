import { Heap } from '../heap.ts';
import type { QueryNode } from './query_node.ts';

interface FrontierOptions<Action> {
  readonly nodes: () => Iterable<QueryNode>;
  /** Returns an upper bound on the scores of the node's actions. */
  readonly upperBound: (node: QueryNode) => number;
  readonly actionOf: (node: QueryNode) => Action | null;
  /** The lowest expected yield at which an action is still taken. */
  readonly minYield: number;
}

/**
 * The nodes of a query tree, ordered by the score of their best action. This is a best-first search with lazy
 * evaluation. A node is inserted with an upper bound on its score and is evaluated only when it comes first. If its
 * actual score is below the next node's bound, the node is inserted again with the actual score.
 */
export class Frontier<Action extends { readonly score: number; readonly expectedYield: number }> {
  readonly #options: FrontierOptions<Action>;
  readonly #heap = new Heap<{ readonly node: QueryNode; readonly entry: number }>();
  /** Whether a score may have increased since all nodes were last inserted. */
  #isStale = true;

  constructor(options: FrontierOptions<Action>) {
    this.#options = options;
  }

  markStale(): void {
    this.#isStale = true;
  }

  /** Inserts a node and invalidates its earlier entry. A node with a score of 0 is not inserted. */
  insert(node: QueryNode, score = this.#options.upperBound(node)): void {
    node.entry++;
    if (score > 0) this.#heap.push({ node, entry: node.entry }, score);
  }

  insertAll(): void {
    this.#isStale = false;
    for (const node of this.#options.nodes()) this.insert(node);
  }

  /** Removes and returns the node with the best action, or returns null if no action reaches the minimum yield. */
  takeBest(): { readonly node: QueryNode; readonly action: Action } | null {
    for (;;) {
      const first = this.#heap.pop();
      if (first === null) return null;
      const { node, entry } = first.item;
      if (entry !== node.entry) continue;
      const action = this.#options.actionOf(node);
      const next = this.#heap.peek();
      const score = action?.score ?? 0;
      const isBest = next === null || score >= next.score;
      if (action !== null && isBest && action.expectedYield >= this.#options.minYield)
        return { node, action };
      this.insert(node, score);
      if (!isBest) continue;
      if (!this.#isStale) return null;
      this.insertAll();
    }
  }
}
