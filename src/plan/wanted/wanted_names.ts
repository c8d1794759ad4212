import type { SearchCall } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import type { BackfillKnowledge, LoadResult, QueryState } from '../../knowledge.ts';
import { nextPageOf } from '../../load_result.ts';
import { NameCandidates, type NamedCompany } from '../../names/name_candidates.ts';
import { comparable } from '../../names/similarity.ts';
import type { Goal } from '../goal.ts';
import { Heap } from '../heap.ts';
import { Pending } from '../pending.ts';
import { NameQueries, type NameQuery } from './name_queries.ts';
import type { WantedContext } from './wanted_context.ts';

/** The result of the search for one wanted name. */
export type NameResult =
  | { readonly is: 'open' }
  /** Exactly one company has this name. */
  | { readonly is: 'found'; readonly company: NamedCompany }
  /**
   * Several companies have this name, or companies have only similar names. A person must choose. The best candidate
   * comes first.
   */
  | { readonly is: 'ambiguous'; readonly candidates: readonly NamedCompany[] }
  | { readonly is: 'not_found' };

/**
 * `no`: the name has not been searched yet. `partly`: other companies may also have this name. `whole`: all companies
 * with this name have been seen.
 */
type Searched = 'no' | 'partly' | 'whole';

/**
 * Finds companies by name with few searches. A query that finds several wanted names is listed completely if that needs
 * fewer calls than one query per name (SmartCrawl, SIGMOD 2019). If a name is missing from a complete listing, no
 * company has that name. Similar names are then taken from the known companies, without a call.
 */
export class WantedNames implements Goal {
  readonly #names: readonly string[];
  readonly #pageSize: number;
  readonly #candidates: NameCandidates;
  readonly #searched: Searched[];
  readonly #queries: NameQueries;
  readonly #pending: Pending;
  readonly #onFound: (entityId: string) => void;
  readonly #frontier = new Heap<NameQuery>();
  /** The queries that are being listed. */
  readonly #active = new Set<NameQuery>();
  /** The names that wait for an active query. No other query is sent for them. */
  readonly #waiting = new Set<number>();

  constructor(names: readonly string[], { knowledge, dialect, pending, states, onFound }: WantedContext) {
    this.#names = names;
    this.#pageSize = dialect.search.paging.size;
    this.#candidates = new NameCandidates(names);
    this.#searched = names.map(() => 'no');
    this.#queries = new NameQueries(names, dialect, knowledge);
    this.#pending = pending;
    this.#onFound = onFound;
    for (const { entityId, name } of knowledge.knownCompanies()) if (name !== null) this.#see(entityId, name);
    for (const state of states) {
      const query = this.#queries.get(state.query);
      if (query === undefined) continue;
      const needsOrder = query.wholes.length > 0 && state.status !== 'complete';
      this.#receive(query, state, needsOrder ? knowledge.listed(state.query) : []);
    }
    this.#offerAll();
  }

  finding(at: number): NameResult {
    const searched = this.#searched[at];
    if (searched === 'no') return { is: 'open' };
    const same = this.#candidates.same(at);
    const [first] = same;
    if (first !== undefined && same.length === 1 && searched !== 'partly')
      return { is: 'found', company: first };
    const candidates = first !== undefined ? same : this.#candidates.of(at);
    return candidates.length > 0 ? { is: 'ambiguous', candidates } : { is: 'not_found' };
  }

  next(nowMs: number): SearchCall | null {
    for (const query of this.#best()) {
      const call = this.#callFor(query);
      if (this.#pending.reserve(call, nowMs)) return call;
    }
    return null;
  }

  /** Returns the searches for all open names if every query finds as many companies as expected. Sends nothing more. */
  expectedSearches(): number {
    return [...this.#best()].reduce((sum, query) => sum + this.#pagesOf(query), 0);
  }

  learn({ call, rows, query: state, failure }: LoadResult): void {
    if (call.kind === 'stats') this.#offerAll();
    for (const { entityId, name, isNew, changed } of rows)
      if (name !== null && (isNew || changed)) this.#see(entityId, name);
    const query = call.kind === 'search' ? this.#queries.get(call.query) : undefined;
    if (query === undefined) return;
    if (state !== null) this.#receive(query, state, state.pages === 1 ? rows : []);
    else if ((failure?.step ?? 0) >= LAST_STEP) query.isGivenUp = true;
    if (this.#active.has(query) && !this.#needsPage(query)) this.#end(query);
  }

  /** The query of a call that was not sent stays active. */
  release(): void {}

  #see(entityId: string, name: string): void {
    this.#queries.see(name);
    this.#candidates.see(entityId, name);
  }

  /**
   * Marks names as searched. A complete listing covers all names that the query finds. A query equal to a name can cover
   * that name even without a complete listing. `firstRows` are the companies on the query's first page, in the
   * upstream's order.
   */
  #receive(
    query: NameQuery,
    state: QueryState,
    firstRows: readonly { readonly name: string | null }[],
  ): void {
    query.state = state;
    query.isGivenUp = state.status === 'refused';
    if (query.isGivenUp) return;
    if (state.status === 'complete') {
      this.#mark(query.names, 'whole');
      return;
    }
    const isRanked = (at: number) => this.#isRankedFirst(at, firstRows);
    this.#mark(query.wholes.filter(isRanked), 'whole');
    if (state.status !== 'open' || state.pages >= this.#mostPages(state)) this.#mark(query.wholes, 'partly');
  }

  #mark(names: readonly number[], how: Searched): void {
    for (const at of names) {
      if (this.#searched[at] === 'whole') continue;
      this.#searched[at] = how;
      const finding = this.finding(at);
      if (finding.is === 'found') this.#onFound(finding.company.entityId);
    }
  }

  /**
   * Returns whether the page shows all companies with this name. It does if these companies come first and other names
   * follow, because the upstream then ranks exact matches first.
   */
  #isRankedFirst(at: number, rows: readonly { readonly name: string | null }[]): boolean {
    const wanted = comparable(this.#names[at] as string);
    const isSame = rows.map(({ name }) => comparable(name ?? '') === wanted);
    const firstOther = isSame.indexOf(false);
    return firstOther > 0 && !isSame.includes(true, firstOther);
  }

  /** Returns whether the query's next page is worth a call. */
  #needsPage(query: NameQuery): boolean {
    const { state, isGivenUp, servedNames } = query;
    const open = servedNames.filter((at) => this.#searched[at] === 'no').length;
    if (isGivenUp || open === 0) return false;
    if (state === null) return true;
    if (state.status !== 'open') return false;
    if (!isShared(query)) return state.pages < this.#mostPages(state);
    return state.total === null ? state.pages < open : open >= this.#queries.pagesLeft(query);
  }

  /** Returns how many pages of a query for one name are read. A short listing is read to its end. */
  #mostPages({ total }: QueryState): number {
    const pages = total === null ? Number.POSITIVE_INFINITY : Math.ceil(total / this.#pageSize);
    return pages <= MAX_PAGES_OF_SHORT_LISTING ? pages : MAX_PAGES_PER_NAME;
  }

  /** Yields the active queries, and then activates the best of the others, one at a time. */
  *#best(): Iterable<NameQuery> {
    yield* [...this.#active];
    for (let query = this.#activate(); query !== null; query = this.#activate()) yield query;
  }

  /** Makes the best query active, or returns null if there is none. The values of queued queries are upper bounds. */
  #activate(): NameQuery | null {
    for (;;) {
      const query = this.#frontier.pop()?.item;
      if (query === undefined) return null;
      const { value, names } = this.#yieldOf(query);
      if (value <= 0) continue;
      if (value >= (this.#frontier.peek()?.score ?? 0)) {
        query.servedNames = names;
        this.#active.add(query);
        for (const at of names) this.#waiting.add(at);
        return query;
      }
      this.#frontier.push(query, value);
    }
  }

  #end(query: NameQuery): void {
    const names = query.servedNames;
    this.#active.delete(query);
    for (const at of names) this.#waiting.delete(at);
    for (const at of names)
      if (this.#searched[at] === 'no') for (const other of this.#queries.ofName(at)) this.#offer(other);
  }

  /** Makes all queries candidates, because their values may have increased. */
  #offerAll(): void {
    this.#queries.countRegistry();
    for (const query of this.#queries.all()) this.#offer(query);
  }

  #offer(query: NameQuery): void {
    const { value } = this.#yieldOf(query);
    if (value > 0) this.#frontier.push(query, value);
  }

  /** Returns the names to send the query for, and the expected number of names found or excluded per call. */
  #yieldOf(query: NameQuery): { readonly names: readonly number[]; readonly value: number } {
    const isOpen = (at: number) => this.#searched[at] === 'no' && !this.#waiting.has(at);
    const open = query.isGivenUp || this.#active.has(query) ? [] : query.names.filter(isOpen);
    const wholes = open.filter((at) => query.wholes.includes(at));
    const shared = open.length < 2 ? 0 : (SHARED_DISCOUNT * open.length) / this.#queries.pagesLeft(query);
    return shared > wholes.length ? { value: shared, names: open } : { value: wholes.length, names: wholes };
  }

  #callFor(query: NameQuery): SearchCall {
    const { length } = query.servedNames;
    return {
      kind: 'search',
      query: { by: 'name', text: query.text },
      page: nextPageOf(query.state),
      reason: `finds ${length === 1 ? 'a wanted name' : `${length} wanted names`}`,
      expected: Math.round((100 * length) / this.#pagesOf(query)) / 100,
    };
  }

  #pagesOf(query: NameQuery): number {
    return isShared(query) ? this.#queries.pagesLeft(query) : 1;
  }
}

/** Returns whether the query is listed to its end, because it also finds names that it does not equal. */
function isShared({ servedNames, wholes }: NameQuery): boolean {
  return servedNames.some((at) => !wholes.includes(at));
}

/** Opens the search for names without sending anything. */
export function openNames(
  names: readonly string[],
  knowledge: BackfillKnowledge,
  dialect: Dialect,
): WantedNames {
  const states = [...knowledge.freshQueries()];
  return new WantedNames(names, { knowledge, dialect, states, pending: new Pending([]), onFound: () => {} });
}

const MAX_PAGES_PER_NAME = 2;
const MAX_PAGES_OF_SHORT_LISTING = 5;
// A query that has failed this often is given up, and other queries are sent for its names.
const LAST_STEP = 3;
// The discount for a shared listing, because its yield is less certain than the yield of a query for one name.
const SHARED_DISCOUNT = 0.9;
