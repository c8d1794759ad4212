import type { KeySpace } from './key_space.ts';
import type { QueryNode } from './query_node.ts';
import { isPunctuation } from './seeds.ts';

/**
 * Detects complete listings that are too short: far more known companies match the query than the listing has rows.
 * During an outage, some searches return nothing and report no error.
 *
 * A listing with `r` rows is understated if more than `4 · (r + 1)` known companies match, or if its last total is below
 * `r`, because then the total fell while the listing was read. Its query is repeated after
 * eight more responses. Before each further repeat, twice as many responses must arrive. If the query rule is wrong, the
 * repeats find nothing and become rare. Queries that are only punctuation are not repeated, because many upstreams
 * ignore punctuation.
 */
export class UnderstatedListings {
  readonly #keySpace: KeySpace;
  #responses = 0;
  readonly #repeats = new Map<QueryNode, { readonly from: number; readonly wait: number }>();

  constructor(keySpace: KeySpace) {
    this.#keySpace = keySpace;
  }

  recordResponse(node: QueryNode): void {
    this.#responses += 1;
    const wait = 2 * (this.#repeats.get(node)?.wait ?? FIRST_WAIT / 2);
    if (this.#isUnderstated(node)) this.#repeats.set(node, { from: this.#responses + wait, wait });
  }

  /** Returns whether the node's listing is understated and can be repeated now. */
  isDue(node: QueryNode): boolean {
    return this.#isUnderstated(node) && this.#responses >= (this.#repeats.get(node)?.from ?? 0);
  }

  #isUnderstated({ state, query }: QueryNode): boolean {
    if (state?.status !== 'complete' || isPunctuation(query.text)) return false;
    const hasFallen = state.total !== null && state.total < state.rows;
    return hasFallen || this.#keySpace.known(query.text) > RATIO * (state.rows + 1);
  }
}

const RATIO = 4;
const FIRST_WAIT = 8;
