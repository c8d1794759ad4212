import type { KeySpace } from './key_space.ts';
import type { QueryNode } from './query_node.ts';

/** Counts changes. The number of the last change is the revision. It shows whether an estimate is outdated. */
export class Revisions {
  readonly #keySpace: KeySpace;
  #current = 0;
  /** The revision of the last change that affected every node. */
  #allChangedAt = 0;
  /** The revision of the key space when all nodes were last invalidated. */
  #keySpaceRevision = 0;

  constructor(keySpace: KeySpace) {
    this.#keySpace = keySpace;
  }

  get current(): number {
    return this.#current;
  }

  /**
   * Invalidates the estimates for a node and its ancestors, or for every node if `node` is null or the key space has
   * changed.
   */
  invalidate(node: QueryNode | null): void {
    this.#current++;
    if (node === null || this.#keySpace.revision !== this.#keySpaceRevision) {
      this.#allChangedAt = this.#current;
      this.#keySpaceRevision = this.#keySpace.revision;
    }
    for (let one = node; one !== null; one = one.parent) one.changedAt = this.#current;
  }

  /** Returns whether an estimate that was made for the node at this revision is still valid. */
  isValid(node: QueryNode, revision: number): boolean {
    return revision >= Math.max(node.changedAt, this.#allChangedAt);
  }
}
