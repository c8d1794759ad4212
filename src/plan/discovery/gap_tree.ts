import { FIRST_PAGE, queryKey, type SearchCall, type SearchQuery, targetOf } from '../../call.ts';
import { Heap } from '../heap.ts';
import type { QueryState } from '../knowledge.ts';
import type { Pending } from '../pending.ts';
import { Calibration } from './calibration.ts';
import type { Field } from './field.ts';
import type { FirstLooks } from './first_looks.ts';
import { type Census, Gaps, type Part } from './gaps.ts';
import { type Awaited, isPairRoot, type Node, newNode, type PageSeen } from './node.ts';
import { firstLookWorth, type Limits, listingPays, nextPageWorth } from './worth.ts';

/** What could be done at a node next: look at a text below, or, without one, ask or list the node itself. */
interface Action {
  /** New companies expected of the call. */
  readonly worth: number;
  /** By which actions are compared: of two that are worth the same, that which opens up more is better. */
  readonly score: number;
  readonly awaited: Awaited;
  readonly part: Part | null;
}

/** Spends each call where most companies are expected that nobody has seen. */
export class GapTree {
  readonly #field: Field;
  readonly #limits: Limits;
  readonly #pending: Pending;
  readonly #gaps: Gaps;
  readonly #calibration = new Calibration();
  readonly #nodes = new Map<string, Node>();
  readonly #frontier = new Heap<{ readonly node: Node; readonly entry: number }>();
  readonly #root: Node;
  /** Does the text of the root, which is empty, list everything? */
  readonly #listsAll: boolean;
  /** Something was learned since all was placed anew. */
  #isStale = true;
  #nowMs = Number.NEGATIVE_INFINITY;

  constructor(options: {
    readonly field: Field;
    readonly limits: Limits;
    readonly pending: Pending;
    readonly listsAll?: boolean;
    /** First characters to be tried before a script that no known name uses; null: none. */
    readonly firstLooks?: FirstLooks | null;
  }) {
    const { field, limits, pending, listsAll = false, firstLooks = null } = options;
    this.#field = field;
    this.#limits = limits;
    this.#pending = pending;
    this.#gaps = new Gaps(field, limits, (text) => this.#nodes.has(text), firstLooks);
    this.#listsAll = listsAll;
    this.#root = newNode({ by: field.by, text: '' }, null);
    this.#nodes.set('', this.#root);
  }

  /** Call once after every known company has been told. */
  start(states: readonly QueryState[]): void {
    for (const state of states.toSorted((a, b) => a.query.text.length - b.query.text.length)) {
      if (!this.#isPart(state.query) || this.#isPairNotCounted(state.query.text)) continue;
      this.#nodeAt(state.query.text).state = state;
      this.#gaps.happened(null, 0);
    }
    for (const node of [...this.#nodes.values()]) this.#decide(node);
    this.#placeAll();
  }

  /** Companies that nobody has seen, as far as can be told. */
  get missing(): number {
    return this.#gaps.missing;
  }

  /** New companies expected of the best call now. */
  get promise(): number {
    const best = this.#best();
    if (best === null) return 0;
    this.#place(best.node);
    return best.action.worth;
  }

  /** New companies expected of the next page of the listing of everything; 0: there is none to be asked now. */
  promiseOfAll(nowMs: number): number {
    this.#nowMs = nowMs;
    const action = this.#actionOf(this.#root);
    return action?.part === null ? action.worth : 0;
  }

  /** A page of a listing is on its way that shows everything: what else is asked now may find what it will show. */
  get isReadingAll(): boolean {
    return this.#listsAll && this.#isInFlight(this.#root) && !this.#isCutOff(this.#root);
  }

  counted(census: Census): void {
    if (this.#gaps.counted(census)) this.#place(this.#root);
  }

  /** Companies were found by other searches: some may begin as nothing that was asked, or was thought of. */
  seen(texts: readonly string[]): void {
    this.#gaps.happened(null);
    this.#isStale = true;
    if (texts.some((text) => this.#askedAbove(text) === this.#root)) this.#root.ways = null;
    this.#place(this.#root);
  }

  /** A fresh answer: what can be asked next below this query? */
  answered(state: QueryState, page: PageSeen): void {
    if (!this.#isPart(state.query)) return;
    const node = this.#nodeAt(state.query.text);
    if (node.awaited !== null) this.#learn(node, node.awaited, page);
    Object.assign(node, { state, page, awaited: null });
    this.#gaps.happened(node, page.rows === 0 ? null : page.new / page.rows);
    // Below a word, those with a second one are as old as its own answer.
    for (const pairs of node.children.filter(isPairRoot)) this.#gaps.happened(pairs);
    this.#isStale = true;
    this.#decide(node);
    for (const one of [node, node.parent, ...node.children.filter(isPairRoot)])
      if (one !== null) this.#place(one);
  }

  #learn({ experience }: Node, awaited: Awaited, page: PageSeen): void {
    this.#calibration.learn(awaited, page.new);
    if (awaited.kind === 'page of many') experience.learn(awaited.worth, page.new);
  }

  /** The call was dropped or has failed: its query is a candidate again. */
  reconsider(query: SearchQuery): void {
    const node = this.#nodes.get(query.text);
    if (node !== undefined) this.#place(node);
  }

  /** The best calls now. */
  next(ask: { readonly nowMs: number; readonly most: number }): SearchCall[] {
    const calls: SearchCall[] = [];
    const aside = new Set<Node>();
    this.#nowMs = ask.nowMs;
    while (calls.length < ask.most && !this.isReadingAll) {
      const best = this.#best();
      if (best === null) break;
      const { node, action } = best;
      const asked = action.part === null ? node : this.#expect(action.part, node);
      const call = this.#callOf(asked, action);
      asked.awaited = action.awaited;
      this.#gaps.happened(asked);
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
        this.#gaps.happened(node);
        this.#pending.sent(call);
        return call;
      });
  }

  /** Is a character of a script that known names use still to be tried, although none of them has it? */
  get isAlphabetOpen(): boolean {
    return this.#gaps.isAlphabetOpen(this.#root);
  }

  /** First looks at texts that promise nothing, but were not asked. */
  look(texts: readonly string[], ask: { readonly nowMs: number; readonly most: number }): SearchCall[] {
    const gap = LOOK_SHARE * Math.min(this.missing, this.#limits.pageSize);
    const calls: SearchCall[] = [];
    for (const text of texts) {
      if (calls.length === ask.most) break;
      const asked = this.#nodes.get(text);
      if (asked !== undefined && (asked.state !== null || this.#isInFlight(asked))) continue;
      if (this.#field.isBlurred(text)) continue;
      const awaited: Awaited = { kind: 'stranger', worth: gap };
      const part: Part = { text, known: this.#field.known(text), gap, kind: 'stranger', chance: 1 };
      const node = this.#expect(part, this.#root);
      const call = this.#callOf(node, { worth: gap, score: gap, awaited, part });
      if (!this.#pending.isFree('search', targetOf(call), ask.nowMs)) continue;
      node.awaited = awaited;
      this.#pending.sent(call);
      calls.push(call);
    }
    return calls;
  }

  #surePageOf(node: Node): Action | null {
    const { state } = node;
    if (state === null || state.total === null || this.#gaps.overflows(state)) return null;
    const gap = this.#gaps.of(node);
    return gap < 1 ? null : this.#pageOf(node, gap, null);
  }

  /** The node of the best action, taken from the frontier. Places there are old ones: most are too good. */
  #best(): { readonly node: Node; readonly action: Action } | null {
    for (;;) {
      const first = this.#frontier.pop();
      if (first === null) return null;
      const { node, entry } = first.item;
      if (entry !== node.entry) continue;
      const action = this.#actionOf(node);
      const next = this.#frontier.peek();
      const score = action?.score ?? 0;
      const isBest = next === null || score >= next.score;
      if (action !== null && isBest && action.worth >= LEAST_WORTH) return { node, action };
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

  #place(node: Node, score = this.#mostOf(node)): void {
    node.entry++;
    if (score > 0) this.#frontier.push({ node, entry: node.entry }, score);
  }

  /** No action of a node can score more. */
  #mostOf(node: Node): number {
    if (isUnanswered(node))
      return (node.awaited?.worth ?? LEAST_WORTH) * this.#breadthOf(node.expected?.gap ?? 0);
    const gap = this.#gaps.of(node);
    return Math.min(gap, this.#limits.pageSize) * this.#breadthOf(gap);
  }

  #actionOf(node: Node): Action | null {
    if (isUnanswered(node))
      return this.#actionWith(node.awaited ?? { kind: 'seen', worth: LEAST_WORTH }, node.expected?.gap ?? 0);
    const gap = this.#gaps.of(node);
    if (gap <= 0) return null;
    const look = this.#isSplit(node) ? this.#bestLook(node) : null;
    const page = this.#pageOf(node, gap, look);
    return (page?.score ?? 0) > (look?.score ?? 0) ? page : look;
  }

  #pageOf(node: Node, gap: number, look: Action | null): Action | null {
    if (!this.#canBePaged(node)) return null;
    const { state } = node;
    const overflows = this.#isCutOff(node);
    const isBegun = state !== null && !node.isListedFirst;
    // What cannot be told apart by a longer text is listed as far as it goes.
    if (overflows && isBegun && (look?.worth ?? 0) >= LEAST_WORTH) return null;
    const worth = nextPageWorth({ known: this.#knownOf(node), gap }, state?.rows ?? 0, this.#limits);
    // Pages of other listings often have no total to tell how much is left: what they were worth says nothing of it.
    const kind = node === this.#root ? 'page of all' : 'page';
    if (!overflows) return this.#actionWith({ kind, worth }, gap);
    return this.#actionWith({ kind: 'page of many', worth }, gap, null, node.experience.ratio);
  }

  #canBePaged(node: Node): boolean {
    const { state } = node;
    const hasPage = state === null ? node === this.#root && this.#listsAll : state.status === 'open';
    if (!hasPage || (state !== null && state.pages === 0) || this.#isInFlight(node)) return false;
    // A page of everything that waits for another try keeps nothing else from being asked.
    return node !== this.#root || this.#pending.isFree('search', this.#nextTargetOf(node), this.#nowMs);
  }

  /** Can it not be listed to its end? */
  #isCutOff(node: Node): boolean {
    if (node === this.#root) return this.#knownOf(node) + this.missing > this.#limits.window;
    return node.state !== null && this.#gaps.overflows(node.state);
  }

  #knownOf(node: Node): number {
    return node === this.#root ? this.#field.companies : this.#field.known(node.query.text);
  }

  #bestLook(node: Node): Action | null {
    let best: Action | null = null;
    for (const part of this.#gaps.partsOf(node)) {
      const awaited = { kind: part.kind, worth: lookWorth(part, this.#limits) };
      const action = this.#actionWith(awaited, part.gap, part);
      if (best === null || action.score > best.score) best = action;
    }
    return best;
  }

  #actionWith(awaited: Awaited, gap: number, part: Part | null = null, ratio = 1): Action {
    const worth = awaited.worth * this.#calibration.ratio(awaited.kind) * ratio;
    return { worth, score: worth * this.#breadthOf(gap), awaited, part };
  }

  /** A long listing goes on bringing what it brings; short ones come to their ends, and each has to be begun. */
  #breadthOf(gap: number): number {
    const { window, pageSize } = this.#limits;
    return (1 + Math.min(gap, window) / pageSize) ** BREADTH;
  }

  /** A listing that is cut off: is it listed as far as it goes, or split at once? */
  #decide(node: Node): void {
    const { state } = node;
    if (state === null || !this.#isSplit(node)) return;
    const isCutOff = state.status !== 'open' || this.#isCutOff(node);
    if (isCutOff && this.#isWord(node) && this.#pairsWith(node)) this.#nodeAt(`${node.query.text} `, node);
    if (state.status !== 'open' || !isCutOff || node.isListedFirst) return;
    const whole = { known: this.#knownOf(node), gap: this.#gaps.of(node) };
    const parts = this.#gaps.partsOf(node).filter(({ kind }) => kind !== 'pair');
    node.isListedFirst = listingPays({ whole, parts, rows: state.rows, limits: this.#limits });
  }

  /** Is it a whole word of most companies that it finds, so that longer texts find few of them? */
  #isWord({ query: { text } }: Node): boolean {
    if (!this.#field.takesPairs || text === '' || text.includes(' ')) return false;
    return 2 * this.#field.ending(text) >= this.#field.known(text);
  }

  #pairsWith(node: Node): boolean {
    return this.#field.pairsWith(node.query.text, () => this.#gaps.of(node));
  }

  /** What a word was asked with before says nothing, where the words of the companies that have it are not counted. */
  #isPairNotCounted(text: string): boolean {
    const space = this.#field.takesPairs ? text.indexOf(' ') : -1;
    const word = space === -1 ? undefined : this.#nodes.get(text.slice(0, space));
    return word !== undefined && !this.#pairsWith(word);
  }

  /** Are texts below it worth asking, beside its own listing or instead of it? */
  #isSplit({ parent, state }: Node): boolean {
    if (parent === null || state === null || state.status === 'refused') return true;
    if (state.status !== 'open') return state.status === 'capped';
    return this.#field.overlaps || this.#gaps.overflows(state);
  }

  /** A text is to be asked: as long as it is not answered, so much is expected of it. */
  #expect({ text, known, gap }: Part, above: Node): Node {
    const node = this.#nodeAt(text, above);
    node.expected = { known, gap };
    this.#gaps.happened(node);
    return node;
  }

  #callOf(node: Node, { worth, part }: Action): SearchCall {
    const { query, state } = node;
    const expected = Math.round(worth * 1000) / 1000;
    if (part?.kind === 'again')
      return { kind: 'search', query, page: FIRST_PAGE, reason: 'looks for new companies', expected };
    if (state === null)
      return { kind: 'search', query, page: FIRST_PAGE, reason: this.#reasonOf(node), expected };
    const page = { index: state.pages, next: state.next };
    return { kind: 'search', query, page, reason: 'lists on', expected };
  }

  #reasonOf({ parent }: Node): string {
    return parent === null || parent === this.#root ? 'first look' : `splits ${parent.query.text.trim()}`;
  }

  #isInFlight(node: Node): boolean {
    const isFirstInFlight = this.#pending.isInFlight('search', queryKey(node.query));
    return isFirstInFlight || this.#pending.isInFlight('search', this.#nextTargetOf(node));
  }

  #nextTargetOf({ query, state }: Node): string {
    return state === null ? queryKey(query) : `${queryKey(query)}#${state.pages}`;
  }

  /** What the empty text was answered is no part of the tree where it does not list everything. */
  #isPart({ text }: SearchQuery): boolean {
    return text !== '' || this.#listsAll;
  }

  #nodeAt(text: string, above = this.#askedAbove(text)): Node {
    const existing = this.#nodes.get(text);
    if (existing !== undefined) return existing;
    const node = newNode({ by: this.#field.by, text }, above);
    this.#nodes.set(text, node);
    above.children.push(node);
    this.#gaps.happened(node);
    return node;
  }

  /** The longest text asked that this one begins with. */
  #askedAbove(text: string): Node {
    for (let length = text.length - 1; length > 0; length--) {
      const shorter = text.slice(0, length);
      const isPair = this.#field.takesPairs && shorter.endsWith(' ');
      const above = this.#nodes.get(shorter) ?? (isPair ? this.#nodeAt(shorter) : undefined);
      if (above !== undefined) return above;
    }
    return this.#root;
  }
}

/** It is being asked for the first time, or waits for another try. */
function isUnanswered({ state, expected }: Node): boolean {
  return state === null && expected !== null;
}

function lookWorth({ kind, known, gap, chance }: Part, limits: Limits): number {
  switch (kind) {
    case 'again':
      // What was counted before is found again only after several looks.
      return gap / (1 + LOOKS_FOR_ONE * gap);
    case 'stranger':
      // One that is in use hides more than the mean, and one that is not, nothing.
      return chance <= 0 ? 0 : chance * firstLookWorth({ known, gap: gap / chance }, limits);
    default:
      return firstLookWorth({ known, gap }, limits);
  }
}

// Below this nothing is expected at all. What is too little is for the count of searches in vain to say.
const LEAST_WORTH = 1e-6;
const LOOKS_FOR_ONE = 6;
const BREADTH = 0.15;
const LOOK_SHARE = 0.01;
