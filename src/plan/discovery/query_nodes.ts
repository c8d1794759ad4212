import type { KeySpace } from './key_space.ts';
import { newQueryNode, type QueryNode } from './query_node.ts';

/**
 * A query tree's nodes. A query's parent is its longest proper prefix that is a node, or the root if there is no such
 * node.
 */
export class QueryNodes {
  readonly root: QueryNode;
  readonly #keySpace: KeySpace;
  readonly #byText = new Map<string, QueryNode>();
  readonly #onAdd: (node: QueryNode) => void;

  /** `onAdd` is called with each added node except the root. `scope` is the root's query. */
  constructor(keySpace: KeySpace, onAdd: (node: QueryNode) => void, scope = '') {
    this.#keySpace = keySpace;
    this.#onAdd = onAdd;
    this.root = newQueryNode({ by: keySpace.by, text: scope }, null);
    this.#byText.set(scope, this.root);
  }

  has(text: string): boolean {
    return this.#byText.has(text);
  }

  get(text: string): QueryNode | undefined {
    return this.#byText.get(text);
  }

  all(): QueryNode[] {
    return [...this.#byText.values()];
  }

  /** Returns the query's node, and adds it if it is missing. */
  at(text: string, parent = this.parentOf(text)): QueryNode {
    const existing = this.#byText.get(text);
    if (existing !== undefined) return existing;
    const node = newQueryNode({ by: this.#keySpace.by, text }, parent);
    this.#byText.set(text, node);
    parent.children.push(node);
    this.#onAdd(node);
    return node;
  }

  /** Returns the query's parent. If the query is a pair and its pair root (`word `) is missing, adds the pair root. */
  parentOf(text: string): QueryNode {
    for (let length = text.length - 1; length > 0; length--) {
      const shorter = text.slice(0, length);
      const isPairRoot = this.#keySpace.takesPairs && shorter.endsWith(' ');
      const parent = this.#byText.get(shorter) ?? (isPairRoot ? this.at(shorter) : undefined);
      if (parent !== undefined) return parent;
    }
    return this.root;
  }
}
