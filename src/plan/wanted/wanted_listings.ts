import { FIRST_PAGE, type SearchCall, type SearchQuery, targetOf } from '../../call.ts';
import type { ListedCompany, QueryState } from '../../knowledge.ts';
import { folded } from '../../names/folding.ts';
import { foldedIdentifier, type Semantics } from '../../names/query_matching.ts';
import type { Pending } from '../pending.ts';

/** A query that a backfill or watchlist lists. */
export interface WantedListing {
  readonly query: SearchQuery;
  /** Whether the query is a prefix that is split into longer prefixes if its listing is truncated. */
  readonly splits: boolean;
}

export interface WantedListingRules {
  /** The query rule for names; null if unknown. */
  readonly semantics: Semantics | null;
  /** The cap: the maximum number of results that one query can return, or Infinity if there is no cap. */
  readonly window: number;
}

type Row = Pick<ListedCompany, 'entityId' | 'name'>;

/** One query of a wanted listing: the wanted query itself or an extension of it. */
interface Node {
  readonly query: SearchQuery;
  readonly wanted: Wanted;
  readonly parent: Node | null;
  state: QueryState | null;
  isSplit: boolean;
  isDone: boolean;
  /** The companies that listings of the query or its extensions have shown. */
  readonly shown: Set<string>;
}

interface Wanted {
  readonly listing: WantedListing;
  /** The companies found for this listing: their folded names or identifiers, by id. */
  readonly found: Map<string, string>;
  /** The characters that extend prefixes: likely characters, and characters seen in results. */
  readonly characters: Set<string>;
  /** The size of `characters` when the split prefixes were last extended. */
  extendedCharacters: number;
}

/** Lists queries completely, page by page. A truncated prefix is split into longer prefixes. */
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
      const characters = new Set(LIKELY_CHARACTERS[listing.query.by]);
      return { listing, found: new Map(), characters, extendedCharacters: characters.size };
    });
    for (const wanted of this.#wanted) this.#add(wanted.listing.query, wanted, null);
  }

  /** Learns a query's state and companies from a received page or from the warehouse. */
  learn(state: QueryState, rows: readonly Row[]): void {
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

  /** Returns whether the query belongs to one of the wanted listings. */
  includes(query: SearchQuery): boolean {
    return this.#nodesOf(query).length > 0;
  }

  /** Gives up on a query that failed repeatedly or was refused. */
  giveUp(query: SearchQuery): void {
    for (const node of this.#nodesOf(query)) {
      node.isDone = true;
      if (this.#canSplit(node)) this.#split(node);
    }
  }

  next(nowMs: number, most: number): SearchCall[] {
    const calls = this.#openCalls(nowMs, most);
    if (calls.length > 0 || most <= 0 || this.#pending.inFlightCount('search') > 0) return calls;
    return this.#splitFurther() ? this.#openCalls(nowMs, most) : [];
  }

  /** Returns the number of companies found for the listing with this index. */
  found(at: number): number {
    return this.#wanted[at]?.found.size ?? 0;
  }

  /** Returns the total of the listing with this index, or null if it is unknown. */
  total(at: number): number | null {
    const wanted = this.#wanted[at];
    return wanted === undefined ? null : (this.#rootOf(wanted).state?.total ?? null);
  }

  isDone(at: number): boolean {
    const wanted = this.#wanted[at];
    return (
      wanted === undefined || this.#queue.every((node) => node.wanted !== wanted || this.#isFinished(node))
    );
  }

  #openCalls(nowMs: number, most: number): SearchCall[] {
    const calls: SearchCall[] = [];
    for (const node of this.#queue) {
      if (calls.length >= most) break;
      if (this.#isFinished(node)) continue;
      const call = callFor(node);
      if (!this.#pending.isFree('search', targetOf(call), nowMs)) continue;
      this.#pending.sent(call);
      calls.push(call);
    }
    return calls;
  }

  /**
   * Returns whether the node needs no more calls, because it was listed or split, or because an ancestor has shown all
   * its companies.
   */
  #isFinished(node: Node): boolean {
    if (node.isDone) return true;
    for (let above = node.parent; above !== null; above = above.parent) if (isShown(above)) return true;
    return false;
  }

  /**
   * Extends the split prefixes by characters that results have shown since the last extension, because these characters
   * may occur in missing names.
   */
  #splitFurther(): boolean {
    const before = this.#queue.length;
    for (const wanted of this.#wanted) {
      if (wanted.characters.size === wanted.extendedCharacters) continue;
      wanted.extendedCharacters = wanted.characters.size;
      for (const node of [...this.#queue])
        if (node.wanted === wanted && node.isSplit) this.#addExtensions(node);
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
    if (!wanted.listing.splits || query.text.length >= MAX_PREFIX_LENGTH) return false;
    return query.by === 'identifier' || (this.#rules.semantics !== null && this.#rules.semantics !== 'token');
  }

  #split(node: Node): void {
    if (node.isSplit) return;
    node.isSplit = true;
    this.#addExtensions(node);
  }

  /**
   * Adds a node's extensions, with the most frequent next characters first. The first extensions may already show all
   * companies, so that the others need no call.
   */
  #addExtensions(node: Node): void {
    const { text, by } = node.query;
    const seen = nextCharacters(node);
    const frequent = [...new Set([...seen.keys(), ...node.wanted.characters])].sort(
      (a, b) => (seen.get(b) ?? 0) - (seen.get(a) ?? 0),
    );
    for (const character of frequent) this.#add({ by, text: text + character }, node.wanted, node);
    // Some upstreams trim a space at the end of a query. After a space, the extension therefore also includes the next
    // character.
    if (by === 'name')
      for (const character of node.wanted.characters)
        this.#add({ by, text: `${text} ${character}` }, node.wanted, node);
  }

  #add(query: SearchQuery, wanted: Wanted, parent: Node | null): void {
    const key = `${query.by}:${query.text}`;
    const nodes = this.#nodes.get(key) ?? [];
    if (nodes.some((node) => node.wanted === wanted)) return;
    const node: Node = {
      ...{ query, wanted, parent, state: null },
      ...{ isSplit: false, isDone: false, shown: new Set() },
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

function see({ listing, found, characters }: Wanted, { entityId, name }: Row): void {
  const text = listing.query.by === 'identifier' ? foldedIdentifier(entityId) : folded(name ?? '');
  found.set(entityId, text);
  for (const character of text) if (character !== ' ') characters.add(character);
}

/**
 * Counts how often each character follows the prefix in the companies found. A space and the character after it count
 * as one.
 */
function nextCharacters({ query, wanted }: Node): Map<string, number> {
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
  const reason =
    page.index > 0 ? 'next page' : parent === null ? 'requested listing' : `splits ${parent.query.text}`;
  return { kind: 'search', query, page, reason, expected: 1 };
}

// Twelve characters distinguish nearly all names and identifiers, so longer prefixes would only cost calls.
const MAX_PREFIX_LENGTH = 12;
const LIKELY_CHARACTERS: Readonly<Record<SearchQuery['by'], readonly string[]>> = {
  name: [...'abcdefghijklmnopqrstuvwxyz0123456789'],
  identifier: [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
};
