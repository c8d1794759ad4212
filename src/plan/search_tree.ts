import { FIRST_PAGE, type SearchCall, type SearchQuery, targetOf } from '../call.ts';
import { wordsOf } from './folding.ts';
import { Heap } from './heap.ts';
import type { QueryState } from './knowledge.ts';
import { type Semantics, textsFinding } from './matching.ts';
import type { Pending } from './pending.ts';
import type { Seed } from './seeds.ts';

/** How one field of this upstream is searched. */
export interface TreeSettings {
  readonly by: SearchQuery['by'];
  readonly semantics: Semantics;
  readonly pageSize: number;
  /** Results of one query that can be reached at all; null: no limit known. */
  readonly window: number | null;
  readonly minLength: number;
  readonly maxAgeMs: number;
  readonly seeds: readonly Seed[];
}

interface Node {
  readonly query: SearchQuery;
  parent: Node | null;
  state: QueryState | null;
  /** Sum of the totals of children that have answered. */
  childTotals: number;
  /** New companies on the page received last; null: none received in this process. */
  newOnLastPage: number | null;
  isSplit: boolean;
  weight: number;
  siblingsWeight: number;
}

const DEEPEST = 24;
// Substrings multiply: six characters tell names apart well enough to split by.
const DEEPEST_SUBSTRING = 6;
const LEAST_EXPECTED = 0.02;
const PAIR_DISCOUNT = 0.2;
const UNPROMISING = 1e-6;

/**
 * The plain adaptive tree: ask a text; list what can be listed; where the upstream cuts a listing off, ask its
 * extensions by the characters seen to follow.
 */
export class SearchTree {
  readonly #settings: TreeSettings;
  readonly #pending: Pending;
  readonly #nodes = new Map<string, Node>();
  readonly #frontier = new Heap<Node>();
  #relist: Node[] = [];
  /** How many known companies each text finds. */
  readonly #known = new Map<string, number>();
  /** Pairs of characters seen so far, and when the tree was last extended by them. */
  #learned = 0;
  #extendedAt = 0;
  readonly #followers = new Map<string, Map<string, number>>();

  constructor(settings: TreeSettings, pending: Pending) {
    this.#settings = settings;
    this.#pending = pending;
  }

  /** Call once after everything stored has been told. */
  start(): void {
    const answered = [...this.#nodes.values()];
    this.#addChildren(null, this.#settings.seeds);
    if (this.#settings.semantics !== 'token') this.#addFirstCharacters();
    for (const node of answered) this.#advance(node);
    this.#relist.sort((a, b) => (a.state?.listedAtMs ?? 0) - (b.state?.listedAtMs ?? 0));
  }

  /** A company became known. */
  see(text: string): void {
    for (const found of textsFinding(this.#settings.semantics, text, this.#deepest)) {
      const count = (this.#known.get(found) ?? 0) + 1;
      this.#known.set(found, count);
      if (count === 1 && this.#settings.semantics === 'token')
        this.#addChildren(null, [{ text: found, weight: 0.05 }]);
    }
    for (const word of this.#settings.semantics === 'prefix' ? [text] : wordsOf(text))
      this.#learnFollowers(word);
  }

  /** A stored state of one of this tree's queries, before the start. */
  restore(state: QueryState): void {
    this.#nodeAt(state.query.text).state = state;
  }

  /** A fresh answer: what can be asked next below this query? */
  answered(state: QueryState, newRows: number): void {
    const node = this.#nodeAt(state.query.text);
    node.newOnLastPage = newRows;
    const before = node.state === null ? 0 : (node.state.total ?? node.state.rows);
    node.state = state;
    if (node.parent !== null) node.parent.childTotals += (state.total ?? state.rows) - before;
    this.#advance(node);
  }

  /** The call was dropped or has failed: its query is a candidate again. */
  reconsider(query: SearchQuery): void {
    const node = this.#nodes.get(query.text);
    if (node !== undefined) this.#frontier.push(node, this.#score(node));
  }

  /** The best calls now. `isWhole`: the registry's own count says that nothing is missing. */
  next(ask: { readonly nowMs: number; readonly most: number; readonly isWhole: boolean }): SearchCall[] {
    const calls: SearchCall[] = [];
    const waiting: Node[] = [];
    while (calls.length < ask.most) {
      const node = this.#bestNode() ?? (this.#extendAgain() ? this.#bestNode() : null);
      if (node === null) break;
      // Offered as unknown before its stored state was restored.
      if (node.state !== null && node.state.status !== 'open') continue;
      const score = this.#score(node);
      if (score < LEAST_EXPECTED && (ask.isWhole || score <= UNPROMISING)) continue;
      const call = this.#callFor(node, score);
      if (this.#take(call, ask.nowMs)) calls.push(call);
      else if (!this.#pending.isInFlight('search', targetOf(call))) waiting.push(node);
    }
    for (const node of waiting) this.#frontier.push(node, this.#score(node));
    this.#listAgain(ask.nowMs, ask.most, calls);
    return calls;
  }

  #listAgain(nowMs: number, most: number, calls: SearchCall[]): void {
    const later: Node[] = [];
    while (calls.length < most) {
      const node = this.#relist[0];
      if (node?.state == null || nowMs - node.state.listedAtMs < this.#settings.maxAgeMs) break;
      this.#relist.shift();
      const call: SearchCall = {
        ...{ kind: 'search', query: node.query, page: FIRST_PAGE },
        ...{ reason: 'summaries are due again', expected: 0 },
      };
      if (this.#take(call, nowMs)) calls.push(call);
      else later.push(node);
    }
    this.#relist = [...later, ...this.#relist];
  }

  #take(call: SearchCall, nowMs: number): boolean {
    if (!this.#pending.isFree('search', targetOf(call), nowMs)) return false;
    this.#pending.sent(call);
    return true;
  }

  #bestNode(): Node | null {
    for (;;) {
      const entry = this.#frontier.pop();
      if (entry === null) return null;
      const score = this.#score(entry.item);
      const next = this.#frontier.peek();
      if (next === null || score >= next.score) return entry.item;
      this.#frontier.push(entry.item, score);
    }
  }

  #callFor(node: Node, score: number): SearchCall {
    const { state, query } = node;
    const expected = Math.round(score * 100) / 100;
    if (state !== null && state.status === 'open' && state.pages > 0) {
      const page = { index: state.pages, next: state.next };
      return { kind: 'search', query, page, reason: 'lists on', expected };
    }
    const reason = node.parent === null ? 'first look' : `splits ${node.parent.query.text}`;
    return { kind: 'search', query, page: FIRST_PAGE, reason, expected };
  }

  /** New companies expected of this node's next call. */
  #score(node: Node): number {
    const { pageSize } = this.#settings;
    if (node.state !== null) {
      const isCountable = node.state.total !== null && !this.#isPair(node);
      if (!isCountable) return clamp(Math.max(node.newOnLastPage ?? pageSize, 1), pageSize);
      return clamp((node.state.total ?? 0) - this.#knownUnder(node), pageSize);
    }
    const parent = node.parent;
    if (parent === null) return pageSize * node.weight;
    const total = parent.state?.total ?? null;
    if (total !== null && !this.#isPair(parent) && this.#knownUnder(parent) >= total) return UNPROMISING;
    const whole = total ?? Math.max(2 * this.#knownUnder(parent), this.#settings.window ?? 0, pageSize);
    const remaining =
      this.#settings.semantics === 'prefix' && total !== null ? whole - parent.childTotals : whole;
    const share = (this.#isPair(node) ? PAIR_DISCOUNT : 1) * (node.weight / node.siblingsWeight);
    return clamp(remaining * share, pageSize);
  }

  #knownUnder(node: Node): number {
    return this.#known.get(node.query.text) ?? 0;
  }

  #advance(node: Node): void {
    const state = node.state;
    if (state === null) return;
    const { window } = this.#settings;
    const overflows = window !== null && state.total !== null && state.total > window;
    if (state.status === 'open' && !overflows) {
      this.#frontier.push(node, this.#score(node));
      return;
    }
    if (state.status !== 'complete') this.#split(node);
    if (state.status !== 'refused') this.#relist.push(node);
  }

  #split(node: Node): void {
    if (node.isSplit || node.query.text.length >= this.#deepest) return;
    node.isSplit = true;
    this.#addChildren(node, this.#extensionsOf(node));
  }

  /** Characters seen since a node was split are new ways below it. */
  #extendAgain(): boolean {
    if (this.#learned === this.#extendedAt) return false;
    this.#extendedAt = this.#learned;
    for (const node of [...this.#nodes.values()]) {
      if (node.isSplit) this.#addChildren(node, this.#extensionsOf(node));
    }
    return this.#frontier.size > 0;
  }

  #extensionsOf(node: Node): Seed[] {
    const { semantics } = this.#settings;
    if (semantics === 'token') return [];
    const text = node.query.text;
    const last = [...text].at(-1) ?? '';
    const inner = this.#weighted(text, this.#followers.get(last));
    if (semantics !== 'token_prefix' || this.#isPair(node)) return inner;
    // A word that stays cut off is narrowed by how a second word begins.
    const second = this.#weighted(`${text} `, this.#followers.get(''));
    return [...inner, ...second];
  }

  #weighted(before: string, followers: ReadonlyMap<string, number> = new Map()): Seed[] {
    let seen = 0;
    for (const count of followers.values()) seen += count;
    return [...followers].map(([character, count]) => {
      const text = before + character;
      return { text, weight: (this.#known.get(text) ?? 0) + (0.5 * count) / seen };
    });
  }

  #addFirstCharacters(): void {
    const first = this.#weighted('', this.#followers.get(''));
    this.#addChildren(
      null,
      first.map(({ text, weight }) => ({ text, weight: Math.min(1, 0.01 * weight) })),
    );
  }

  #addChildren(parent: Node | null, seeds: readonly Seed[]): void {
    const siblingsWeight = seeds.reduce((sum, seed) => sum + seed.weight, 0);
    for (const seed of seeds) {
      const node = this.#nodeAt(seed.text);
      if (node.parent !== null || node === parent) continue;
      const isNew = node.state === null && node.weight === 0;
      Object.assign(node, { parent, weight: seed.weight, siblingsWeight });
      if (node.state !== null && parent !== null) parent.childTotals += node.state.total ?? node.state.rows;
      if (!isNew) continue;
      if ([...seed.text].length < this.#settings.minLength) this.#split(node);
      else this.#frontier.push(node, this.#score(node));
    }
  }

  #nodeAt(text: string): Node {
    const existing = this.#nodes.get(text);
    if (existing !== undefined) return existing;
    const query: SearchQuery = { by: this.#settings.by, text };
    const node: Node = {
      ...{
        query,
        parent: null,
        state: null,
        childTotals: 0,
        newOnLastPage: null,
        isSplit: false,
        weight: 0,
        siblingsWeight: 1,
      },
    };
    this.#nodes.set(text, node);
    return node;
  }

  #learnFollowers(word: string): void {
    let previous = '';
    for (const character of word) {
      const after = this.#followers.get(previous) ?? new Map<string, number>();
      const count = (after.get(character) ?? 0) + 1;
      this.#followers.set(previous, after.set(character, count));
      if (count === 1) this.#learned++;
      if (previous === '' && count === 1) this.#addChildren(null, [{ text: character, weight: 0.2 }]);
      previous = character;
    }
  }

  /** Two words: what they find together is counted nowhere. */
  #isPair(node: Node): boolean {
    return this.#settings.semantics === 'token_prefix' && node.query.text.includes(' ');
  }

  get #deepest(): number {
    return this.#settings.semantics === 'substring' ? DEEPEST_SUBSTRING : DEEPEST;
  }
}

function clamp(expected: number, most: number): number {
  return Math.max(UNPROMISING, Math.min(most, expected));
}
