import type { SearchCall } from '../../call.ts';
import type { QueryState } from '../../knowledge.ts';
import { nextPageOf } from '../../load_result.ts';
import { Heap } from '../heap.ts';
import type { Pending } from '../pending.ts';
import { type Finding, MAX_PAGES_PER_NAME, NameFindings } from './name_findings.ts';
import { NameQueries, type NameQuery, type NameQueryRules } from './name_queries.ts';

/** A query that is being listed, and the names that wait for it. No other query is sent for these names. */
interface ActiveQuery {
  readonly query: NameQuery;
  readonly names: readonly number[];
  /** Whether the query is listed to its end, because it finds several names. */
  readonly isShared: boolean;
}

/**
 * Finds companies by name with few searches. A query that finds several wanted names is listed completely if that needs
 * fewer calls than one query per name (SmartCrawl, SIGMOD 2019). If a name is missing from a complete listing, no
 * company has that name. Similar names are then taken from the known companies, without a call.
 */
export class NameHunt {
  readonly #pending: Pending;
  readonly #queries: NameQueries;
  readonly #findings: NameFindings;
  readonly #frontier = new Heap<NameQuery>();
  readonly #active = new Map<NameQuery, ActiveQuery>();
  /** The names that wait for an active query. */
  readonly #waiting = new Set<number>();

  constructor(names: readonly string[], rules: NameQueryRules, pending: Pending) {
    this.#pending = pending;
    this.#queries = new NameQueries(names, rules);
    this.#findings = new NameFindings(names);
  }

  /** Sets the registry count, which affects the value of shared queries. */
  setRegistryTotal(total: number): void {
    this.#queries.setRegistryTotal(total);
    this.start();
  }

  /** Adds a known company. */
  see(entityId: string, name: string): void {
    this.#queries.see(name);
    this.#findings.see(entityId, name);
  }

  /** Restores a stored query. Call it before `start`. `firstNames` are the names on its first page, in order. */
  restore(state: QueryState, firstNames: readonly string[]): void {
    const query = this.#queries.get(state.query.text);
    if (query === undefined) return;
    query.state = state;
    this.#findings.conclude(query, state, firstNames);
  }

  /** Makes all queries candidates. Call it after the last `restore`. */
  start(): void {
    for (const query of this.#queries.all()) this.#offer(query);
  }

  /** Returns the best search, or null if none can be sent now. */
  next(nowMs: number): SearchCall | null {
    for (const active of this.#active.values()) {
      const call = this.#callFor(active);
      if (this.#pending.reserve(call, nowMs)) return call;
    }
    for (let active = this.#activate(); active !== null; active = this.#activate()) {
      const call = this.#callFor(active);
      if (this.#pending.reserve(call, nowMs)) return call;
    }
    return null;
  }

  /** Returns the searches for all open names if every query finds as many companies as expected. Sends nothing more. */
  expectedSearches(): number {
    let searches = 0;
    for (let active = this.#activate(); active !== null; active = this.#activate())
      searches += this.#pagesOf(active);
    return searches;
  }

  /**
   * Learns from a page after its companies have been passed to `see`. `pageNames` are their names, in the upstream's
   * order.
   */
  learn(state: QueryState, pageNames: readonly string[]): void {
    const query = this.#queries.get(state.query.text);
    if (query === undefined) return;
    query.state = state;
    this.#findings.conclude(query, state, state.pages === 1 ? pageNames : []);
    const active = this.#active.get(query);
    if (active !== undefined && !this.#needsPage(active, state)) this.#end(active);
  }

  /** Gives up on a query that failed repeatedly or was refused. */
  giveUp(text: string): void {
    const query = this.#queries.get(text);
    if (query === undefined) return;
    query.isAbandoned = true;
    this.#findings.giveUp(query);
    const active = this.#active.get(query);
    if (active !== undefined) this.#end(active);
  }

  /** Returns the indexes of the wanted names that this query finds. */
  namesFoundBy(text: string): readonly number[] {
    return this.#queries.get(text)?.names ?? [];
  }

  /** Returns whether this query equals a wanted name. */
  isWholeName(text: string): boolean {
    return (this.#queries.get(text)?.wholes.length ?? 0) > 0;
  }

  finding(at: number): Finding {
    return this.#findings.finding(at);
  }

  /** Returns whether the query's next page is worth a call. */
  #needsPage({ query, names, isShared }: ActiveQuery, state: QueryState): boolean {
    const open = names.filter((at) => this.#findings.isOpen(at)).length;
    if (state.status !== 'open' || open === 0) return false;
    if (!isShared) return state.pages < MAX_PAGES_PER_NAME;
    return state.total === null ? state.pages < open : open >= this.#queries.pagesLeft(query);
  }

  #end({ query, names }: ActiveQuery): void {
    this.#active.delete(query);
    for (const at of names) this.#waiting.delete(at);
    for (const at of names)
      if (this.#findings.isOpen(at)) for (const other of this.#queries.ofName(at)) this.#offer(other);
  }

  /** Makes the best query active, or returns null if there is none. */
  #activate(): ActiveQuery | null {
    const active = this.#best();
    if (active === null) return null;
    this.#active.set(active.query, active);
    for (const at of active.names) this.#waiting.add(at);
    return active;
  }

  #callFor(active: ActiveQuery): SearchCall {
    const { state, text } = active.query;
    const { length } = active.names;
    return {
      kind: 'search',
      query: { by: 'name', text },
      page: nextPageOf(state),
      reason: `finds ${length === 1 ? 'a wanted name' : `${length} wanted names`}`,
      expected: Math.round((100 * length) / this.#pagesOf(active)) / 100,
    };
  }

  #pagesOf({ query, isShared }: ActiveQuery): number {
    return isShared ? this.#queries.pagesLeft(query) : 1;
  }

  #offer(query: NameQuery): void {
    const { value } = this.#yieldOf(query);
    if (value > 0) this.#frontier.push(query, value);
  }

  /** Returns the best query and what it is sent for. The values of queued queries are upper bounds. */
  #best(): ActiveQuery | null {
    for (;;) {
      const query = this.#frontier.pop()?.item;
      if (query === undefined) return null;
      const { value, names, isShared } = this.#yieldOf(query);
      if (value <= 0) continue;
      if (value >= (this.#frontier.peek()?.score ?? 0)) return { query, names, isShared };
      this.#frontier.push(query, value);
    }
  }

  /** Returns the names to send the query for, and the expected number of names found or excluded per call. */
  #yieldOf(query: NameQuery): Pick<ActiveQuery, 'names' | 'isShared'> & { readonly value: number } {
    const isOpen = (at: number) => !this.#waiting.has(at) && this.#findings.isOpen(at);
    const open = this.#active.has(query) ? [] : query.names.filter(isOpen);
    const wholes = query.isAbandoned ? [] : open.filter((at) => query.wholes.includes(at));
    const shared = (SHARED_DISCOUNT * open.length) / this.#queries.pagesLeft(query);
    return open.length > 1 && shared > wholes.length
      ? { value: shared, names: open, isShared: true }
      : { value: wholes.length, names: wholes, isShared: false };
  }
}

// The discount for a shared listing, because its yield is less certain than the yield of a query for one name.
const SHARED_DISCOUNT = 0.9;
