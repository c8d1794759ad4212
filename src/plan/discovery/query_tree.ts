import { FIRST_PAGE, queryKey, type SearchCall, type SearchQuery, targetOf } from '../../call.ts';
import type { QueryState } from '../../knowledge.ts';
import { Heap } from '../heap.ts';
import type { Pending } from '../pending.ts';
import { Calibration } from './calibration.ts';
import type { FirstLooks } from './first_looks.ts';
import type { KeySpace } from './key_space.ts';
import { type Awaited, isPairRoot, newQueryNode, type PageSeen, type QueryNode } from './query_node.ts';
import { firstPageYield, type Limits, listingPays, nextPageYield } from './search_yield.ts';
import { type QueryCandidate, type RegistryCount, UnseenCounts } from './unseen_counts.ts';

/** What could be done at a node next: look at a text below, or, without one, ask or list the node itself. */
interface Action {
  /** New companies expected of the call. */
  readonly expectedYield: number;
  /** By which actions are compared: of two that are worth the same, that which opens up more is better. */
  readonly score: number;
  readonly awaited: Awaited;
  readonly part: QueryCandidate | null;
}

/** Spends each call where most companies are expected that nobody has seen. */
export class QueryTree {
  readonly #keySpace: KeySpace;
  readonly #limits: Limits;
  readonly #pending: Pending;
  readonly #unseenCounts: UnseenCounts;
  readonly #calibration = new Calibration();
  readonly #nodes = new Map<string, QueryNode>();
  readonly #frontier = new Heap<{ readonly node: QueryNode; readonly entry: number }>();
  readonly #root: QueryNode;
  /** Does the text of the root, which is empty, list everything? */
  readonly #listsAll: boolean;
  /** Something was learned since all was placed anew. */
  #isStale = true;
  #nowMs = Number.NEGATIVE_INFINITY;

  constructor(options: {
    readonly keySpace: KeySpace;
    readonly limits: Limits;
    readonly pending: Pending;
    readonly listsAll?: boolean;
    /** First characters to be tried before a script that no known name uses; null: none. */
    readonly firstLooks?: FirstLooks | null;
  }) {
    const { keySpace, limits, pending, listsAll = false, firstLooks = null } = options;
    this.#keySpace = keySpace;
    this.#limits = limits;
    this.#pending = pending;
    this.#unseenCounts = new UnseenCounts(keySpace, limits, (text) => this.#nodes.has(text), firstLooks);
    this.#listsAll = listsAll;
    this.#root = newQueryNode({ by: keySpace.by, text: '' }, null);
    this.#nodes.set('', this.#root);
  }

  /** Call once after every known company has been told. */
  start(states: readonly QueryState[]): void {
    for (const state of states.toSorted((a, b) => a.query.text.length - b.query.text.length)) {
      if (!this.#isPart(state.query) || this.#isPairNotCounted(state.query.text)) continue;
      this.#nodeAt(state.query.text).state = state;
      this.#unseenCounts.invalidate(null, 0);
    }
    for (const node of [...this.#nodes.values()]) this.#decide(node);
    this.#placeAll();
  }

  /** Companies that nobody has seen, as far as can be told. */
  get unseenInAll(): number {
    return this.#unseenCounts.unseenInAll;
  }

  /** New companies expected of the best call now. */
  get promise(): number {
    const best = this.#best();
    if (best === null) return 0;
    this.#place(best.node);
    return best.action.expectedYield;
  }

  /** New companies expected of the next page of the listing of everything; 0: there is none to be asked now. */
  promiseOfAll(nowMs: number): number {
    this.#nowMs = nowMs;
    const action = this.#actionOf(this.#root);
    return action?.part === null ? action.expectedYield : 0;
  }

  /** A page of a listing is on its way that shows everything: what else is asked now may find what it will show. */
  get isReadingAll(): boolean {
    return this.#listsAll && this.#isInFlight(this.#root) && !this.#isTruncated(this.#root);
  }

  counted(registryCount: RegistryCount): void {
    if (this.#unseenCounts.counted(registryCount)) this.#place(this.#root);
  }

  /** Companies were found by other searches: some may begin as nothing that was asked, or was thought of. */
  seen(texts: readonly string[]): void {
    this.#unseenCounts.invalidate(null);
    this.#isStale = true;
    if (texts.some((text) => this.#askedAbove(text) === this.#root)) this.#root.extensions = null;
    this.#place(this.#root);
  }

  /** A fresh answer: what can be asked next below this query? */
  answered(state: QueryState, page: PageSeen): void {
    if (!this.#isPart(state.query)) return;
    const node = this.#nodeAt(state.query.text);
    if (node.awaited !== null) this.#learn(node, node.awaited, page);
    Object.assign(node, { state, page, awaited: null });
    this.#unseenCounts.invalidate(node, page.rows === 0 ? null : page.new / page.rows);
    // Below a word, those with a second one are as old as its own answer.
    for (const pairs of node.children.filter(isPairRoot)) this.#unseenCounts.invalidate(pairs);
    this.#isStale = true;
    this.#decide(node);
    for (const one of [node, node.parent, ...node.children.filter(isPairRoot)])
      if (one !== null) this.#place(one);
  }

  #learn({ experience }: QueryNode, awaited: Awaited, page: PageSeen): void {
    this.#calibration.learn(awaited, page.new);
    if (awaited.kind === 'page of many') experience.learn(awaited.expectedYield, page.new);
  }

  /** The call was dropped or has failed: its query is a candidate again. */
  reconsider(query: SearchQuery): void {
    const node = this.#nodes.get(query.text);
    if (node !== undefined) this.#place(node);
  }

  /** The best calls now. */
  next(ask: { readonly nowMs: number; readonly most: number }): SearchCall[] {
    const calls: SearchCall[] = [];
    const aside = new Set<QueryNode>();
    this.#nowMs = ask.nowMs;
    while (calls.length < ask.most && !this.isReadingAll) {
      const best = this.#best();
      if (best === null) break;
      const { node, action } = best;
      const asked = action.part === null ? node : this.#expect(action.part, node);
      const call = this.#callOf(asked, action);
      asked.awaited = action.awaited;
      this.#unseenCounts.invalidate(asked);
      const isFree = this.#pending.isFree('search', targetOf(call), ask.nowMs);
      if (isFree) {
        this.#pending.sent(call);
        calls.push(call);
      } else aside.add(asked);
      // A text that waits for another try is no part of its parent's choice, but if it is asked again.
      if (asked !== node && (isFree || asked.state === null)) this.#place(node);
      else aside.add(node);
    }
    for (const node of aside) if (!this.#isInFlight(node)) this.#place(node);
    return calls;
  }

  /**
   * The next pages of listings that can be read to their ends and by their own count hold companies that nobody has seen:
   * these are not out of reach.
   */
  listOn(ask: { readonly nowMs: number; readonly most: number }): SearchCall[] {
    const pages = [...this.#nodes.values()].flatMap((node) => {
      const action = this.#surePageOf(node);
      return action === null ? [] : [{ node, action, call: this.#callOf(node, action) }];
    });
    return pages
      .filter(({ call }) => this.#pending.isFree('search', targetOf(call), ask.nowMs))
      .sort((one, other) => other.action.score - one.action.score)
      .slice(0, ask.most)
      .map(({ node, action, call }) => {
        node.awaited = action.awaited;
        this.#unseenCounts.invalidate(node);
        this.#pending.sent(call);
        return call;
      });
  }

  /** Is a character of a script that known names use still to be tried, although none of them has it? */
  get isAlphabetOpen(): boolean {
    return this.#unseenCounts.isAlphabetOpen(this.#root);
  }

  /** First looks at texts that promise nothing, but were not asked. */
  look(texts: readonly string[], ask: { readonly nowMs: number; readonly most: number }): SearchCall[] {
    const unseen = LOOK_SHARE * Math.min(this.unseenInAll, this.#limits.pageSize);
    const calls: SearchCall[] = [];
    for (const text of texts) {
      if (calls.length === ask.most) break;
      const asked = this.#nodes.get(text);
      if (asked !== undefined && (asked.state !== null || this.#isInFlight(asked))) continue;
      if (this.#keySpace.isAliased(text)) continue;
      const awaited: Awaited = { kind: 'stranger', expectedYield: unseen };
      const part: QueryCandidate = {
        text,
        known: this.#keySpace.known(text),
        unseen,
        kind: 'stranger',
        chance: 1,
      };
      const node = this.#expect(part, this.#root);
      const call = this.#callOf(node, { expectedYield: unseen, score: unseen, awaited, part });
      if (!this.#pending.isFree('search', targetOf(call), ask.nowMs)) continue;
      node.awaited = awaited;
      this.#pending.sent(call);
      calls.push(call);
    }
    return calls;
  }

  #surePageOf(node: QueryNode): Action | null {
    const { state } = node;
    if (state === null || state.total === null || this.#unseenCounts.overflows(state)) return null;
    const unseen = this.#unseenCounts.of(node);
    return unseen < 1 ? null : this.#pageOf(node, unseen, null);
  }

  /** The node of the best action, taken from the frontier. Places there are old ones: most are too good. */
  #best(): { readonly node: QueryNode; readonly action: Action } | null {
    for (;;) {
      const first = this.#frontier.pop();
      if (first === null) return null;
      const { node, entry } = first.item;
      if (entry !== node.entry) continue;
      const action = this.#actionOf(node);
      const next = this.#frontier.peek();
      const score = action?.score ?? 0;
      const isBest = next === null || score >= next.score;
      if (action !== null && isBest && action.expectedYield >= LEAST_YIELD) return { node, action };
      this.#place(node, score);
      if (!isBest) continue;
      if (!this.#isStale) return null;
      this.#placeAll();
    }
  }

  #placeAll(): void {
    this.#isStale = false;
    for (const node of this.#nodes.values()) this.#place(node);
  }

  #place(node: QueryNode, score = this.#mostOf(node)): void {
    node.entry++;
    if (score > 0) this.#frontier.push({ node, entry: node.entry }, score);
  }

  /** No action of a node can score more. */
  #mostOf(node: QueryNode): number {
    if (isUnanswered(node))
      return (node.awaited?.expectedYield ?? LEAST_YIELD) * this.#breadthOf(node.expected?.unseen ?? 0);
    const unseen = this.#unseenCounts.of(node);
    return Math.min(unseen, this.#limits.pageSize) * this.#breadthOf(unseen);
  }

  #actionOf(node: QueryNode): Action | null {
    if (isUnanswered(node))
      return this.#actionWith(
        node.awaited ?? { kind: 'seen', expectedYield: LEAST_YIELD },
        node.expected?.unseen ?? 0,
      );
    const unseen = this.#unseenCounts.of(node);
    if (unseen <= 0) return null;
    const look = this.#isSplit(node) ? this.#bestLook(node) : null;
    const page = this.#pageOf(node, unseen, look);
    return (page?.score ?? 0) > (look?.score ?? 0) ? page : look;
  }

  #pageOf(node: QueryNode, unseen: number, look: Action | null): Action | null {
    if (!this.#canBePaged(node)) return null;
    const { state } = node;
    const overflows = this.#isTruncated(node);
    const isBegun = state !== null && !node.isListedFirst;
    // What cannot be told apart by a longer text is listed as far as it goes.
    if (overflows && isBegun && (look?.expectedYield ?? 0) >= LEAST_YIELD) return null;
    const expectedYield = nextPageYield(
      { known: this.#knownOf(node), unseen },
      state?.rows ?? 0,
      this.#limits,
    );
    // Pages of other listings often have no total to tell how much is left: what they were worth says nothing of it.
    const kind = node === this.#root ? 'page of all' : 'page';
    if (!overflows) return this.#actionWith({ kind, expectedYield }, unseen);
    return this.#actionWith({ kind: 'page of many', expectedYield }, unseen, null, node.experience.ratio);
  }

  #canBePaged(node: QueryNode): boolean {
    const { state } = node;
    const hasPage = state === null ? node === this.#root && this.#listsAll : state.status === 'open';
    if (!hasPage || (state !== null && state.pages === 0) || this.#isInFlight(node)) return false;
    // A page of everything that waits for another try keeps nothing else from being asked.
    return node !== this.#root || this.#pending.isFree('search', this.#nextTargetOf(node), this.#nowMs);
  }

  /** Can it not be listed to its end? */
  #isTruncated(node: QueryNode): boolean {
    if (node === this.#root) return this.#knownOf(node) + this.unseenInAll > this.#limits.window;
    return node.state !== null && this.#unseenCounts.overflows(node.state);
  }

  #knownOf(node: QueryNode): number {
    return node === this.#root ? this.#keySpace.companies : this.#keySpace.known(node.query.text);
  }

  #bestLook(node: QueryNode): Action | null {
    let best: Action | null = null;
    for (const part of this.#unseenCounts.candidatesOf(node)) {
      const awaited = { kind: part.kind, expectedYield: looksYield(part, this.#limits) };
      const action = this.#actionWith(awaited, part.unseen, part);
      if (best === null || action.score > best.score) best = action;
    }
    return best;
  }

  #actionWith(awaited: Awaited, unseen: number, part: QueryCandidate | null = null, ratio = 1): Action {
    const expectedYield = awaited.expectedYield * this.#calibration.ratio(awaited.kind) * ratio;
    return { expectedYield, score: expectedYield * this.#breadthOf(unseen), awaited, part };
  }

  /** A long listing goes on bringing what it brings; short ones come to their ends, and each has to be begun. */
  #breadthOf(unseen: number): number {
    const { window, pageSize } = this.#limits;
    return (1 + Math.min(unseen, window) / pageSize) ** BREADTH;
  }

  /** A listing that is cut off: is it listed as far as it goes, or split at once? */
  #decide(node: QueryNode): void {
    const { state } = node;
    if (state === null || !this.#isSplit(node)) return;
    const isCutOff = state.status !== 'open' || this.#isTruncated(node);
    if (isCutOff && this.#isWord(node) && this.#pairsWith(node)) this.#nodeAt(`${node.query.text} `, node);
    if (state.status !== 'open' || !isCutOff || node.isListedFirst) return;
    const whole = { known: this.#knownOf(node), unseen: this.#unseenCounts.of(node) };
    const parts = this.#unseenCounts.candidatesOf(node).filter(({ kind }) => kind !== 'pair');
    node.isListedFirst = listingPays({ whole, parts, rows: state.rows, limits: this.#limits });
  }

  /** Is it a whole word of most companies that it finds, so that longer texts find few of them? */
  #isWord({ query: { text } }: QueryNode): boolean {
    if (!this.#keySpace.takesPairs || text === '' || text.includes(' ')) return false;
    return 2 * this.#keySpace.ending(text) >= this.#keySpace.known(text);
  }

  #pairsWith(node: QueryNode): boolean {
    return this.#keySpace.pairsWith(node.query.text, () => this.#unseenCounts.of(node));
  }

  /** What a word was asked with before says nothing, where the words of the companies that have it are not counted. */
  #isPairNotCounted(text: string): boolean {
    const space = this.#keySpace.takesPairs ? text.indexOf(' ') : -1;
    const word = space === -1 ? undefined : this.#nodes.get(text.slice(0, space));
    return word !== undefined && !this.#pairsWith(word);
  }

  /** Are texts below it worth asking, beside its own listing or instead of it? */
  #isSplit({ parent, state }: QueryNode): boolean {
    if (parent === null || state === null || state.status === 'refused') return true;
    if (state.status !== 'open') return state.status === 'capped';
    return this.#keySpace.overlaps || this.#unseenCounts.overflows(state);
  }

  /** A text is to be asked: as long as it is not answered, so much is expected of it. */
  #expect({ text, known, unseen }: QueryCandidate, above: QueryNode): QueryNode {
    const node = this.#nodeAt(text, above);
    node.expected = { known, unseen };
    this.#unseenCounts.invalidate(node);
    return node;
  }

  #callOf(node: QueryNode, { expectedYield, part }: Action): SearchCall {
    const { query, state } = node;
    const expected = Math.round(expectedYield * 1000) / 1000;
    if (part?.kind === 'again')
      return { kind: 'search', query, page: FIRST_PAGE, reason: 'looks for new companies', expected };
    if (state === null)
      return { kind: 'search', query, page: FIRST_PAGE, reason: this.#reasonOf(node), expected };
    const page = { index: state.pages, next: state.next };
    return { kind: 'search', query, page, reason: 'lists on', expected };
  }

  #reasonOf({ parent }: QueryNode): string {
    return parent === null || parent === this.#root ? 'first look' : `splits ${parent.query.text.trim()}`;
  }

  #isInFlight(node: QueryNode): boolean {
    const isFirstInFlight = this.#pending.isInFlight('search', queryKey(node.query));
    return isFirstInFlight || this.#pending.isInFlight('search', this.#nextTargetOf(node));
  }

  #nextTargetOf({ query, state }: QueryNode): string {
    return state === null ? queryKey(query) : `${queryKey(query)}#${state.pages}`;
  }

  /** What the empty text was answered is no part of the tree where it does not list everything. */
  #isPart({ text }: SearchQuery): boolean {
    return text !== '' || this.#listsAll;
  }

  #nodeAt(text: string, above = this.#askedAbove(text)): QueryNode {
    const existing = this.#nodes.get(text);
    if (existing !== undefined) return existing;
    const node = newQueryNode({ by: this.#keySpace.by, text }, above);
    this.#nodes.set(text, node);
    above.children.push(node);
    this.#unseenCounts.invalidate(node);
    return node;
  }

  /** The longest text asked that this one begins with. */
  #askedAbove(text: string): QueryNode {
    for (let length = text.length - 1; length > 0; length--) {
      const shorter = text.slice(0, length);
      const isPair = this.#keySpace.takesPairs && shorter.endsWith(' ');
      const above = this.#nodes.get(shorter) ?? (isPair ? this.#nodeAt(shorter) : undefined);
      if (above !== undefined) return above;
    }
    return this.#root;
  }
}

/** It is being asked for the first time, or waits for another try. */
function isUnanswered({ state, expected }: QueryNode): boolean {
  return state === null && expected !== null;
}

function looksYield({ kind, known, unseen, chance }: QueryCandidate, limits: Limits): number {
  switch (kind) {
    case 'again':
      // What was counted before is found again only after several looks.
      return unseen / (1 + LOOKS_FOR_ONE * unseen);
    case 'stranger':
      // One that is in use hides more than the mean, and one that is not, nothing.
      return chance <= 0 ? 0 : chance * firstPageYield({ known, unseen: unseen / chance }, limits);
    default:
      return firstPageYield({ known, unseen }, limits);
  }
}

// Below this nothing is expected at all. What is too little is for the count of searches in vain to say.
const LEAST_YIELD = 1e-6;
const LOOKS_FOR_ONE = 6;
const BREADTH = 0.15;
const LOOK_SHARE = 0.01;
