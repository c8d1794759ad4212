import { FIRST_PAGE, type SearchCall, type SearchQuery, targetOf } from '../../call.ts';
import type { ListedCompany, QueryState } from '../../knowledge.ts';
import { folded } from '../../names/folding.ts';
import { foldedIdentifier, type Semantics } from '../../names/query_matching.ts';
import type { Pending } from '../pending.ts';

/** A query whose companies are wanted. */
export interface WantedListing {
  readonly query: SearchQuery;
  /** It is a prefix: where the upstream cuts its listing off, longer ones are asked. */
  readonly splits: boolean;
}

export interface WantedListingRules {
  /** How names are searched; null: not known. */
  readonly semantics: Semantics | null;
  /** Results of one query that can be reached; Infinity: all. */
  readonly window: number;
}

type Row = Pick<ListedCompany, 'entityId' | 'name'>;

interface Node {
  readonly query: SearchQuery;
  readonly wanted: Wanted;
  readonly parent: Node | null;
  state: QueryState | null;
  isSplit: boolean;
  isDone: boolean;
  /** Companies that it or its parts have shown. */
  readonly shown: Set<string>;
}

interface Wanted {
  readonly listing: WantedListing;
  /** Companies seen, by id, with the text that is searched. */
  readonly found: Map<string, string>;
  /** Characters that were seen, or are likely. */
  readonly letters: Set<string>;
  /** How many of these there were when prefixes were last split by them. */
  lettersTried: number;
}

/** Lists queries to their end, page by page, and splits prefixes where a listing is cut off. */
export class WantedListings {
  readonly #rules: WantedListingRules;
  readonly #pending: Pending;
  readonly #wanted: readonly Wanted[];
  readonly #nodes = new Map<string, Node[]>();
  readonly #queue: Node[] = [];

  constructor(listings: readonly WantedListing[], rules: WantedListingRules, pending: Pending) {
    this.#rules = rules;
    this.#pending = pending;
    this.#wanted = listings.map((listing) => {
      const letters = new Set(LIKELY_LETTERS[listing.query.by]);
      return { listing, found: new Map(), letters, lettersTried: letters.size };
    });
    for (const wanted of this.#wanted) this.#add(wanted.listing.query, wanted, null);
  }

  /** The state of a query after a page, or as stored, before the start; and the companies that it showed. */
  answered(state: QueryState, rows: readonly Row[]): void {
    for (const node of this.#nodesOf(state.query)) {
      for (const row of rows) {
        see(node.wanted, row);
        for (let above: Node | null = node; above !== null; above = above.parent)
          above.shown.add(row.entityId);
      }
      node.state = state;
      this.#advance(node);
    }
  }

  /** Is this one of the queries that are, or were, asked? */
  isOurs(query: SearchQuery): boolean {
    return this.#nodesOf(query).length > 0;
  }

  /** The query failed again and again, or was refused. */
  gaveUp(query: SearchQuery): void {
    for (const node of this.#nodesOf(query)) {
      node.isDone = true;
      if (this.#canSplit(node)) this.#split(node);
    }
  }

  next(nowMs: number, most: number): SearchCall[] {
    const calls = this.#open(nowMs, most);
    if (calls.length > 0 || most <= 0 || this.#pending.inFlightCount('search') > 0) return calls;
    return this.#splitFurther() ? this.#open(nowMs, most) : [];
  }

  /** Companies found for a listing, by its place in the order given. */
  found(at: number): number {
    return this.#wanted[at]?.found.size ?? 0;
  }

  /** What the upstream says the listing has in all; null: it does not say. */
  total(at: number): number | null {
    const wanted = this.#wanted[at];
    return wanted === undefined ? null : (this.#rootOf(wanted).state?.total ?? null);
  }

  isDone(at: number): boolean {
    const wanted = this.#wanted[at];
    return wanted === undefined || this.#queue.every((node) => node.wanted !== wanted || this.#isOver(node));
  }

  #open(nowMs: number, most: number): SearchCall[] {
    const calls: SearchCall[] = [];
    for (const node of this.#queue) {
      if (calls.length >= most) break;
      if (this.#isOver(node)) continue;
      const call = callFor(node);
      if (!this.#pending.isFree('search', targetOf(call), nowMs)) continue;
      this.#pending.sent(call);
      calls.push(call);
    }
    return calls;
  }

  /** Nothing is left to ask of it: it was listed or split, or all that lies above it has been shown. */
  #isOver(node: Node): boolean {
    if (node.isDone) return true;
    for (let above = node.parent; above !== null; above = above.parent) if (isShown(above)) return true;
    return false;
  }

  /** Companies are missing, and characters were seen since that no prefix was split by: they may lie there. */
  #splitFurther(): boolean {
    const before = this.#queue.length;
    for (const wanted of this.#wanted) {
      if (wanted.letters.size === wanted.lettersTried) continue;
      wanted.lettersTried = wanted.letters.size;
      for (const node of [...this.#queue]) if (node.wanted === wanted && node.isSplit) this.#addParts(node);
    }
    return this.#queue.length > before;
  }

  #advance(node: Node): void {
    const { status, total } = node.state as QueryState;
    const overflows = (total ?? 0) > this.#rules.window && this.#canSplit(node);
    if (status === 'open' && !overflows) return;
    node.isDone = true;
    if (status !== 'complete' && this.#canSplit(node)) this.#split(node);
  }

  #canSplit({ query, wanted }: Node): boolean {
    if (!wanted.listing.splits || query.text.length >= LONGEST) return false;
    return query.by === 'identifier' || (this.#rules.semantics !== null && this.#rules.semantics !== 'token');
  }

  #split(node: Node): void {
    if (node.isSplit) return;
    node.isSplit = true;
    this.#addParts(node);
  }

  /** The most frequent next characters first: what they hold may leave nothing for the others. */
  #addParts(node: Node): void {
    const { text, by } = node.query;
    const seen = followers(node);
    const frequent = [...new Set([...seen.keys(), ...node.wanted.letters])].sort(
      (a, b) => (seen.get(b) ?? 0) - (seen.get(a) ?? 0),
    );
    for (const letter of frequent) this.#add({ by, text: text + letter }, node.wanted, node);
    // A space at the end would be cut off: what follows it is asked with it.
    if (by === 'name')
      for (const letter of node.wanted.letters)
        this.#add({ by, text: `${text} ${letter}` }, node.wanted, node);
  }

  #add(query: SearchQuery, wanted: Wanted, parent: Node | null): void {
    const key = `${query.by}:${query.text}`;
    const nodes = this.#nodes.get(key) ?? [];
    if (nodes.some((node) => node.wanted === wanted)) return;
    const node: Node = {
      query,
      wanted,
      parent,
      state: null,
      isSplit: false,
      isDone: false,
      shown: new Set(),
    };
    this.#nodes.set(key, [...nodes, node]);
    this.#queue.push(node);
  }

  #nodesOf({ by, text }: SearchQuery): readonly Node[] {
    return this.#nodes.get(`${by}:${text}`) ?? [];
  }

  #rootOf(wanted: Wanted): Node {
    return this.#nodesOf(wanted.listing.query).find((node) => node.wanted === wanted) as Node;
  }
}

function see({ listing, found, letters }: Wanted, { entityId, name }: Row): void {
  const text = listing.query.by === 'identifier' ? foldedIdentifier(entityId) : folded(name ?? '');
  found.set(entityId, text);
  for (const letter of text) if (letter !== ' ') letters.add(letter);
}

/** Characters that follow a prefix in the companies seen, and how often; a space and what follows it are one. */
function followers({ query, wanted }: Node): Map<string, number> {
  const prefix = query.by === 'identifier' ? foldedIdentifier(query.text) : folded(query.text);
  const counts = new Map<string, number>();
  for (const text of wanted.found.values()) {
    const at = text.indexOf(prefix);
    const [next] = at === -1 ? [] : (/^ ?[^ ]/u.exec(text.slice(at + prefix.length)) ?? []);
    if (next !== undefined) counts.set(next, (counts.get(next) ?? 0) + 1);
  }
  return counts;
}

function isShown({ state, shown }: Node): boolean {
  return state !== null && state.total !== null && shown.size >= state.total;
}

function callFor({ query, parent, state }: Node): SearchCall {
  const page = state === null || state.pages === 0 ? FIRST_PAGE : { index: state.pages, next: state.next };
  const reason = page.index > 0 ? 'lists on' : parent === null ? 'wanted' : `splits ${parent.query.text}`;
  return { kind: 'search', query, page, reason, expected: 1 };
}

// Twelve characters tell nearly all names and identifiers apart; beyond, splitting only spends.
const LONGEST = 12;
const LIKELY_LETTERS: Readonly<Record<SearchQuery['by'], readonly string[]>> = {
  name: [...'abcdefghijklmnopqrstuvwxyz0123456789'],
  identifier: [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
};
