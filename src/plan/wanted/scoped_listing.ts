import { FIRST_PAGE, type SearchCall, type SearchQuery, targetOf } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import type { Knowledge, ListedCompany, QueryState } from '../../knowledge.ts';
import { SortedTexts } from '../../names/ordered_texts.ts';
import { comparedText, semanticsOf, windowOf } from '../../names/query_matching.ts';
import type { KeySpace } from '../discovery/key_space.ts';
import { QueryTree } from '../discovery/query_tree.ts';
import { StopRule } from '../discovery/stop_rule.ts';
import { TextKeySpace } from '../discovery/text_key_space.ts';
import type { Pending } from '../pending.ts';

/** A query that a backfill or watchlist lists. */
export interface WantedListing {
  readonly query: SearchQuery;
  /** Whether the query is a prefix that is split into longer prefixes if its listing is truncated. */
  readonly splits: boolean;
}

type Row = Pick<ListedCompany, 'entityId' | 'name'>;

/**
 * Lists every company that a query finds, page by page. A truncated prefix becomes the root of a query tree, in which
 * only the companies of this listing are known. Its total is the tree's registry count.
 */
export class ScopedListing {
  readonly query: SearchQuery;
  readonly #canSplit: boolean;
  readonly #dialect: Dialect;
  readonly #knowledge: Knowledge;
  readonly #pending: Pending;
  readonly #found = new Set<string>();
  /** The compared texts of the companies found, which the tree's key space counts. */
  readonly #texts = new SortedTexts([]);
  readonly #stopRule = new StopRule({ newBySearches: () => [] });
  #state: QueryState | null = null;
  #tree: { readonly keySpace: KeySpace; readonly tree: QueryTree } | null = null;
  #isDone = false;

  constructor(
    { query, splits }: WantedListing,
    { knowledge, dialect, pending }: { knowledge: Knowledge; dialect: Dialect; pending: Pending },
  ) {
    this.query = query;
    this.#canSplit = splits && (query.by === 'identifier' || dialect.search.matches !== 'unknown');
    this.#dialect = dialect;
    this.#knowledge = {
      ...knowledge,
      ...{
        knownCount: () => this.#found.size,
        textsInOrder: () => this.#texts,
        wordsInOrder: () => null,
        queries: () => [],
      },
    };
    this.#pending = pending;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  get found(): number {
    return this.#found.size;
  }

  /** The total that the upstream reports for the query; null if it is unknown. */
  get total(): number | null {
    return this.#state?.total ?? null;
  }

  /** Returns whether the query belongs to this listing: it is the wanted query or, if that is split, an extension. */
  includes({ by, text }: SearchQuery): boolean {
    if (by !== this.query.by) return false;
    return text === this.query.text || (this.#canSplit && text.startsWith(this.query.text));
  }

  /** Adds stored responses to queries that this listing includes. */
  restore(states: readonly QueryState[], rowsOf: (query: SearchQuery) => readonly Row[]): void {
    for (const { query } of states) this.#see(rowsOf(query));
    this.#state = states.find(({ query }) => query.text === this.query.text) ?? null;
    if (this.#state === null) return;
    this.#advance();
    this.#tree?.tree.start(states);
  }

  learn(state: QueryState, rows: readonly Row[]): void {
    const isNew = this.#see(rows);
    this.#stopRule.record(isNew.includes(true));
    const isRoot = state.query.text === this.query.text;
    if (isRoot) this.#state = state;
    if (this.#tree === null) {
      if (isRoot) this.#advance();
      return;
    }
    const { keySpace, tree } = this.#tree;
    const texts = rows.map((row) => comparedText(row, keySpace.by));
    keySpace.observe(state.query.text, texts);
    tree.setRegistryCount(this.#count);
    tree.recordResponse(state, {
      rows: rows.length,
      new: isNew.filter((one) => one).length,
      matching: texts.filter((text) => keySpace.matches(state.query.text, text)).length,
    });
    this.#checkEnd();
  }

  /** Gives up on a query that failed repeatedly or was refused. A refused prefix is split. */
  giveUp(query: SearchQuery): void {
    const refused: QueryState = {
      ...{ query, total: null, pages: 0, rows: 0, next: null, status: 'refused', listedAtMs: 0 },
    };
    if (query.text === this.query.text) this.#state = refused;
    if (this.#tree !== null) this.#tree.tree.recordResponse(refused, { rows: 0, new: 0, matching: 0 });
    else if (query.text === this.query.text) this.#advance();
  }

  next(nowMs: number, most: number): SearchCall[] {
    if (this.#isDone || most <= 0) return [];
    if (this.#tree === null) return this.#nextPage(nowMs);
    const calls = this.#tree.tree.next({ nowMs, most });
    const isWaiting = this.#pending.inFlightCount('search') > 0 || this.#tree.tree.bestYield > 0;
    if (calls.length === 0 && !isWaiting) this.#isDone = true;
    return calls;
  }

  /** Makes a query a candidate again if its call failed or was not sent. */
  reconsider(query: SearchQuery): void {
    this.#tree?.tree.reconsider(query);
  }

  #nextPage(nowMs: number): SearchCall[] {
    const state = this.#state;
    const page = state === null || state.pages === 0 ? FIRST_PAGE : { index: state.pages, next: state.next };
    const reason = page.index > 0 ? 'next page' : 'requested listing';
    const call: SearchCall = { kind: 'search', query: this.query, page, reason, expected: 1 };
    if (!this.#pending.isFree('search', targetOf(call), nowMs)) return [];
    this.#pending.sent(call);
    return [call];
  }

  /** Decides after a page of the wanted query whether the listing goes on, is split, or has ended. */
  #advance(): void {
    const { status, total } = this.#state as QueryState;
    const isTruncated = status === 'capped' || status === 'refused' || (total ?? 0) > windowOf(this.#dialect);
    if (isTruncated && this.#canSplit) this.#split();
    else this.#isDone = status !== 'open';
  }

  #split(): void {
    const { by } = this.query;
    const { paging, min_length } = this.#dialect.search;
    const keySpace = new TextKeySpace(by, semanticsOf(this.#dialect), min_length, this.#knowledge);
    const limits = { pageSize: paging.size, window: windowOf(this.#dialect) };
    const tree = new QueryTree({ keySpace, limits, pending: this.#pending, scope: this.query.text });
    tree.setRegistryCount(this.#count);
    tree.start([this.#state as QueryState]);
    this.#tree = { keySpace, tree };
    this.#checkEnd();
  }

  /** The wanted query's total, as the registry count for the tree. */
  get #count() {
    const clampedAt = this.#dialect.search.total_clamped_at ?? Number.POSITIVE_INFINITY;
    const total = this.total !== null && this.total < clampedAt ? this.total : null;
    return { total, observedAtMs: 0, countAt: () => null };
  }

  #checkEnd(): void {
    const { total } = this.#count;
    const missing = total === null ? this.#dialect.search.paging.size : total - this.#found.size;
    // The user requested every company, so a listing with a total ends later than discovery.
    const minSearches = total === null ? 0 : Math.max(MIN_EMPTY_SEARCHES, this.#found.size);
    this.#isDone = missing <= 0 || this.#stopRule.isOver(missing, minSearches);
  }

  /** Adds the companies on a page. Returns for each of them whether this listing had not shown it before. */
  #see(rows: readonly Row[]): boolean[] {
    return rows.map(({ entityId, name }) => {
      if (this.#found.has(entityId)) return false;
      this.#found.add(entityId);
      const text = comparedText({ entityId, name }, this.query.by);
      this.#texts.add(text);
      this.#tree?.keySpace.add(text);
      return true;
    });
  }
}

// A script has fewer characters than this, so each of them is tried after a prefix.
const MIN_EMPTY_SEARCHES = 200;
