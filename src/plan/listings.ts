import { FIRST_PAGE, type SearchCall, type SearchQuery, targetOf } from '../call.ts';
import { folded } from './folding.ts';
import type { NewsRow, QueryState } from './knowledge.ts';
import { foldedIdentifier, type Semantics } from './matching.ts';
import type { Pending } from './pending.ts';

/** A query whose companies are wanted. */
export interface WantedListing {
  readonly query: SearchQuery;
  /** It is a prefix: where the upstream cuts its listing off, longer ones are asked. */
  readonly splits: boolean;
}

export interface ListingRules {
  /** How names are searched; null: not known. */
  readonly semantics: Semantics | null;
  /** Results of one query that can be reached; Infinity: all. */
  readonly window: number;
}

interface Node {
  readonly query: SearchQuery;
  readonly wanted: Wanted;
  state: QueryState | null;
  isSplit: boolean;
  isDone: boolean;
}

interface Wanted {
  readonly listing: WantedListing;
  /** Companies seen that belong to it. */
  readonly found: Set<string>;
  /** Characters that may come next, the most frequent first. */
  readonly letters: Map<string, number>;
  total: number | null;
}

/** Lists queries to their end, page by page, and splits prefixes where a listing is cut off. */
export class Listings {
  readonly #rules: ListingRules;
  readonly #pending: Pending;
  readonly #wanted: readonly Wanted[];
  readonly #nodes = new Map<string, Node[]>();
  readonly #queue: Node[] = [];

  constructor(listings: readonly WantedListing[], rules: ListingRules, pending: Pending) {
    this.#rules = rules;
    this.#pending = pending;
    this.#wanted = listings.map((listing) => ({
      listing,
      found: new Set<string>(),
      letters: new Map(LIKELY_LETTERS[listing.query.by].map((letter) => [letter, 0])),
      total: null,
    }));
    for (const wanted of this.#wanted) this.#add(wanted.listing.query, wanted);
  }

  /** The state of a query after a page, or as stored, before the start; and the companies that it showed. */
  answered(state: QueryState, rows: readonly Pick<NewsRow, 'entityId' | 'name'>[]): void {
    for (const node of this.#nodesOf(state.query)) {
      node.state = state;
      if (node.query === node.wanted.listing.query) node.wanted.total = state.total;
      for (const row of rows) this.#see(node.wanted, row);
      this.#advance(node);
    }
  }

  /** Is this one of the queries that are, or were, asked? */
  isOurs(query: SearchQuery): boolean {
    return this.#nodesOf(query).length > 0;
  }

  /** The query failed again and again. */
  gaveUp(query: SearchQuery): void {
    for (const node of this.#nodesOf(query)) node.isDone = true;
  }

  next(nowMs: number, most: number): SearchCall[] {
    const calls: SearchCall[] = [];
    for (const node of this.#queue) {
      if (calls.length >= most) break;
      if (node.isDone || this.#hasAll(node.wanted)) continue;
      const call = callFor(node);
      if (!this.#pending.isFree('search', targetOf(call), nowMs)) continue;
      this.#pending.sent(call);
      calls.push(call);
    }
    return calls;
  }

  /** Companies found for a listing, by its place in the order given. */
  found(at: number): ReadonlySet<string> {
    return this.#wanted[at]?.found ?? new Set();
  }

  /** What the upstream says the listing has in all; null: it does not say. */
  total(at: number): number | null {
    return this.#wanted[at]?.total ?? null;
  }

  isDone(at: number): boolean {
    const wanted = this.#wanted[at];
    return (
      wanted === undefined ||
      this.#queue.every((node) => node.wanted !== wanted || node.isDone || this.#hasAll(wanted))
    );
  }

  #see(wanted: Wanted, { entityId, name }: Pick<NewsRow, 'entityId' | 'name'>): void {
    wanted.found.add(entityId);
    const letter = this.#letterAfter(wanted.listing.query, entityId, name);
    if (letter !== undefined) wanted.letters.set(letter, (wanted.letters.get(letter) ?? 0) + 1);
  }

  #advance(node: Node): void {
    const state = node.state as QueryState;
    const overflows = (state.total ?? 0) > this.#rules.window && this.#canSplit(node);
    if (state.status === 'open' && !overflows) return;
    node.isDone = true;
    if (state.status !== 'complete' && this.#canSplit(node)) this.#split(node);
  }

  #canSplit({ query, wanted }: Node): boolean {
    if (!wanted.listing.splits || query.text.length >= LONGEST) return false;
    return query.by === 'identifier' || (this.#rules.semantics !== null && this.#rules.semantics !== 'token');
  }

  #split(node: Node): void {
    if (node.isSplit) return;
    node.isSplit = true;
    const { text, by } = node.query;
    const letters = [...node.wanted.letters].sort(([, a], [, b]) => b - a).map(([letter]) => letter);
    for (const letter of letters) this.#add({ by, text: text + letter }, node.wanted);
    // A space at the end would be cut off: what follows it is asked with it.
    if (by === 'name')
      for (const letter of letters) this.#add({ by, text: `${text} ${letter}` }, node.wanted);
  }

  #add(query: SearchQuery, wanted: Wanted): void {
    const key = `${query.by}:${query.text}`;
    const nodes = this.#nodes.get(key) ?? [];
    if (nodes.some((node) => node.wanted === wanted)) return;
    const node: Node = { query, wanted, state: null, isSplit: false, isDone: false };
    this.#nodes.set(key, [...nodes, node]);
    this.#queue.push(node);
  }

  #nodesOf({ by, text }: SearchQuery): readonly Node[] {
    return this.#nodes.get(`${by}:${text}`) ?? [];
  }

  #hasAll({ found, total, listing }: Wanted): boolean {
    return listing.splits && total !== null && found.size >= total;
  }

  /** What follows the prefix in a company that it found. */
  #letterAfter({ by, text }: SearchQuery, entityId: string, name: string | null): string | undefined {
    const [whole, prefix] =
      by === 'identifier'
        ? [foldedIdentifier(entityId), foldedIdentifier(text)]
        : [folded(name ?? ''), folded(text)];
    const at = whole.indexOf(prefix);
    return at === -1 ? undefined : [...whole.slice(at + prefix.length).trimStart()][0];
  }
}

function callFor({ query, wanted, state }: Node): SearchCall {
  const page = state === null || state.pages === 0 ? FIRST_PAGE : { index: state.pages, next: state.next };
  const isRoot = query === wanted.listing.query;
  const reason = page.index > 0 ? 'lists on' : isRoot ? 'wanted' : `splits ${wanted.listing.query.text}`;
  return { kind: 'search', query, page, reason, expected: 1 };
}

// Twelve characters tell nearly all names and identifiers apart; beyond, splitting only spends.
const LONGEST = 12;
const LIKELY_LETTERS: Readonly<Record<SearchQuery['by'], readonly string[]>> = {
  name: [...'abcdefghijklmnopqrstuvwxyz0123456789'],
  identifier: [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
};
