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
  /** Whether many scores may have increased since then. */
  #isVeryStale = false;
  /** The number of actions taken since then. */
  #taken = 0;
  /** The number of nodes that were inserted then. */
  #size = 0;

  constructor(options: FrontierOptions<Action>) {
    this.#options = options;
  }

  /**
   * Records that scores may have increased. They are computed again once no node is left. If many scores may have
   * increased, they are also computed again at regular intervals, so that this costs about the same for each action.
   */
  markStale({ areMany }: { readonly areMany: boolean }): void {
    this.#isStale = true;
    if (areMany) this.#isVeryStale = true;
  }

  /** Inserts a node and invalidates its earlier entry. A node with a score of 0 is not inserted. */
  insert(node: QueryNode, score = this.#options.upperBound(node)): void {
    node.entry++;
    if (score > 0) this.#heap.push({ node, entry: node.entry }, score);
  }

  insertAll(): void {
    this.#isStale = false;
    this.#isVeryStale = false;
    this.#taken = 0;
    this.#size = 0;
    for (const node of this.#options.nodes()) {
      this.insert(node);
      this.#size++;
    }
  }

  /** Removes and returns the node with the best action, or returns null if no action reaches the minimum yield. */
  takeBest(): { readonly node: QueryNode; readonly action: Action } | null {
    if (this.#isVeryStale && this.#taken * NODES_PER_ACTION >= this.#size) this.insertAll();
    this.#taken++;
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

/** The average number of nodes that are inserted again for each action. */
const NODES_PER_ACTION = 16;
