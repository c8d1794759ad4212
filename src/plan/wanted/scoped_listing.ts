import { queryKey, type SearchCall, type SearchQuery } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import type { Knowledge, ListedCompany, LoadResult, QueryState } from '../../knowledge.ts';
import { folded } from '../../names/folding.ts';
import { SortedTexts } from '../../names/ordered_texts.ts';
import { comparedText, exactTotal, findsName, semanticsOf } from '../../names/query_matching.ts';
import { Discovery, type QueryScope } from '../discovery/discovery.ts';
import type { Goal } from '../goal.ts';
import type { Pending } from '../pending.ts';
import type { WantedContext } from './wanted_context.ts';

type Row = Pick<ListedCompany, 'entityId' | 'name'>;

/**
 * Lists every company that a query finds. It is a discovery in which only the companies of this listing are known, and
 * in which the query's total is the registry count. A truncated prefix is split; other queries are read to the cap.
 */
export class ScopedListing implements Goal {
  readonly #query: SearchQuery;
  readonly #canSplit: boolean;
  readonly #dialect: Dialect;
  readonly #pending: Pending;
  readonly #onFound: (entityId: string) => void;
  readonly #discovery: Discovery;
  readonly #found = new Set<string>();
  /** The compared texts of the companies found. */
  readonly #texts = new SortedTexts([]);
  /** The states of the queries that belong to this listing. */
  readonly #states = new Map<string, QueryState>();

  constructor({ query, splits }: QueryScope, { knowledge, dialect, pending, ...context }: WantedContext) {
    this.#query = query;
    this.#canSplit = splits && (query.by === 'identifier' || dialect.search.matches !== 'unknown');
    this.#dialect = dialect;
    this.#pending = pending;
    this.#onFound = context.onFound;
    for (const state of context.states.filter((one) => this.includes(one.query))) {
      this.#states.set(queryKey(state.query), state);
      this.#see(knowledge.listed(state.query));
    }
    const listed: Knowledge = {
      ...knowledge,
      knownCount: () => this.#found.size,
      existingCount: () => this.#found.size,
      latestStats: () => ({ observedAtMs: 0, total: this.#exactTotal }),
      registryCountAt: () => null,
      textsInOrder: () => this.#texts,
      wordsInOrder: () => null,
      queries: () => this.#states.values(),
      latestSearches: () => [],
    };
    const scope = { query, splits: this.#canSplit };
    this.#discovery = new Discovery({ knowledge: listed, dialect, pending, startedAtMs: 0, scope });
  }

  /** Whether no search remains, not even one that waits for a retry. Call it after the last search. */
  get isDone(): boolean {
    if (this.#isListed) return true;
    if (this.#isContradicted) return false;
    const call = this.#discovery.next(Number.POSITIVE_INFINITY);
    if (call === null) return this.#pending.inFlightCount('search') === 0;
    this.#pending.landed(call);
    this.#discovery.release(call);
    return false;
  }

  get found(): ReadonlySet<string> {
    return this.#found;
  }

  /** The total that the upstream reports for the query; null if it is unknown. */
  get total(): number | null {
    return this.#state?.total ?? null;
  }

  /** A query belongs to this listing if it is the wanted query or, if that is split, an extension. */
  includes({ by, text }: SearchQuery): boolean {
    if (by !== this.#query.by) return false;
    return text === this.#query.text || (this.#canSplit && text.startsWith(this.#query.text));
  }

  next(nowMs: number): SearchCall | null {
    return this.#isListed ? null : this.#discovery.next(nowMs);
  }

  learn(result: LoadResult): void {
    if (result.call.kind !== 'search' || !this.includes(result.call.query)) return;
    const { query } = result;
    if (query !== null) this.#states.set(queryKey(query.query), query);
    const isNew = this.#see(result.rows);
    const rows = result.rows.map((row, at) => ({
      ...row,
      name: this.#foundBy(row),
      isNew: isNew[at] as boolean,
    }));
    this.#discovery.learn({ ...result, rows });
  }

  release(call: SearchCall): void {
    if (this.includes(call.query)) this.#discovery.release(call);
  }

  /** Whether pages must be read again, which `ContradictedListings` proposes. */
  get #isContradicted(): boolean {
    return [...this.#states.values()].some(({ isContradicted }) => isContradicted === true);
  }

  get #state(): QueryState | null {
    return this.#states.get(queryKey(this.#query)) ?? null;
  }

  /** The wanted query's total; null if it is unknown or only a lower bound. */
  get #exactTotal(): number | null {
    const state = this.#state;
    const total = exactTotal(state?.total ?? null, this.#dialect);
    return state === null || total === null || (state.status === 'open' && state.rows >= total)
      ? null
      : total;
  }

  /** Whether the listing was read to its end. It is then complete, even if it has fewer companies than its total. */
  get #isListed(): boolean {
    const status = this.#state?.status ?? 'open';
    return status === 'complete' || (status !== 'open' && !this.#canSplit);
  }

  /** Adds the companies on a page. Returns for each of them whether this listing had not shown it before. */
  #see(rows: readonly Row[]): boolean[] {
    return rows.map(({ entityId, name }) => {
      this.#onFound(entityId);
      if (this.#found.has(entityId)) return false;
      this.#found.add(entityId);
      this.#texts.add(comparedText({ entityId, name: this.#foundBy({ entityId, name }) }, this.#query.by));
      return true;
    });
  }

  /**
   * Returns the text by which the query found a company: its name or, if only the identifier begins with the query, its
   * identifier.
   */
  #foundBy({ entityId, name }: Row): string | null {
    const { text } = this.#query;
    const isByName = name !== null && findsName(semanticsOf(this.#dialect), text, folded(name));
    return !isByName && folded(entityId).startsWith(folded(text)) ? entityId : name;
  }
}
