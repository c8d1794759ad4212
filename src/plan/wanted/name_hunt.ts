import { FIRST_PAGE, type SearchCall, targetOf } from '../../call.ts';
import type { QueryState } from '../../knowledge.ts';
import { Heap } from '../heap.ts';
import type { Pending } from '../pending.ts';
import { type Finding, MAX_PAGES_PER_NAME, NameFindings } from './name_findings.ts';
import { NameQueries, type NameQuery, type NameQueryRules } from './name_queries.ts';

/** The purpose of a query: `share` finds several names together, and `whole` finds one name. */
type Purpose = 'share' | 'whole';

/** A query that is being listed. */
interface ActiveQuery {
  readonly query: NameQuery;
  readonly purpose: Purpose;
  /** The names that are waiting for this query. No other query is sent for these names until this query ends. */
  readonly claimed: readonly number[];
}

/**
 * Finds companies by name with few searches. A query that finds several wanted names is listed completely if that needs
 * fewer calls than one query per name. If a name is missing from a complete listing, no company has that name. Similar
 * names are then taken from the known companies, without a call.
 */
export class NameHunt {
  readonly #pending: Pending;
  readonly #queries: NameQueries;
  readonly #findings: NameFindings;
  readonly #frontier = new Heap<NameQuery>();
  readonly #active = new Map<NameQuery, ActiveQuery>();
  /** The active query that each name is waiting for; null if the name is not waiting. */
  readonly #claims: (NameQuery | null)[];

  constructor(names: readonly string[], rules: NameQueryRules, pending: Pending) {
    this.#pending = pending;
    this.#queries = new NameQueries(names, rules);
    this.#findings = new NameFindings(names);
    this.#claims = names.map(() => null);
  }

  /** Sets the registry count, which affects expected totals and the value of shared queries. */
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
    this.#queries.learn(query, state);
    this.#findings.conclude(query, state, firstNames);
  }

  /** Makes all queries candidates. Call it after the last `restore`. */
  start(): void {
    for (const query of this.#queries.all()) this.#offer(query);
  }

  next(nowMs: number, most: number): SearchCall[] {
    const calls: SearchCall[] = [];
    for (const active of this.#active.values()) {
      if (calls.length >= most) return calls;
      this.#take(active, nowMs, calls);
    }
    while (calls.length < most) {
      const query = this.#best();
      if (query === null) break;
      const { purpose, names } = this.#yieldOf(query);
      const active = { query, purpose, claimed: names };
      for (const at of names) this.#claims[at] = query;
      this.#active.set(query, active);
      this.#take(active, nowMs, calls);
    }
    return calls;
  }

  /**
   * Learns from a page after its companies have been passed to `see`. `pageNames` are their names, in the upstream's
   * order.
   */
  learn(state: QueryState, pageNames: readonly string[]): void {
    const query = this.#queries.get(state.query.text);
    if (query === undefined) return;
    this.#queries.learn(query, state);
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

  /** Returns the number of companies that this query is expected to find. */
  expectedTotal(text: string): number {
    const query = this.#queries.get(text);
    return query === undefined ? 0 : this.#queries.expectedTotal(query);
  }

  /** Returns whether this query equals a wanted name. */
  isWholeName(text: string): boolean {
    return (this.#queries.get(text)?.wholes.length ?? 0) > 0;
  }

  finding(at: number): Finding {
    return this.#findings.finding(at);
  }

  /** Returns whether the query's next page is worth a call. */
  #needsPage({ query, purpose, claimed }: ActiveQuery, state: QueryState): boolean {
    if (state.status !== 'open') return false;
    const open = claimed.filter((at) => this.#findings.isOpen(at));
    if (open.length === 0) return false;
    if (purpose === 'whole') return state.pages < MAX_PAGES_PER_NAME;
    if (state.total === null) return state.pages < open.length;
    return open.length >= this.#queries.pagesLeft(query);
  }

  #end({ query, claimed }: ActiveQuery): void {
    this.#active.delete(query);
    for (const at of claimed) this.#claims[at] = null;
    for (const at of claimed)
      if (this.#findings.isOpen(at)) for (const other of this.#queries.ofName(at)) this.#offer(other);
  }

  #take({ query, purpose, claimed }: ActiveQuery, nowMs: number, calls: SearchCall[]): void {
    const state = query.state;
    const page = state === null || state.pages === 0 ? FIRST_PAGE : { index: state.pages, next: state.next };
    const expected = Math.round(100 * (claimed.length / Math.max(1, this.#pagesFor(query, purpose)))) / 100;
    const call: SearchCall = {
      kind: 'search',
      query: { by: 'name', text: query.text },
      page,
      reason: reasonOf(claimed.length),
      expected,
    };
    if (!this.#pending.isFree('search', targetOf(call), nowMs)) return;
    this.#pending.sent(call);
    calls.push(call);
  }

  #pagesFor(query: NameQuery, purpose: Purpose): number {
    return purpose === 'share' ? this.#queries.pagesLeft(query) : 1;
  }

  #offer(query: NameQuery): void {
    const { value } = this.#yieldOf(query);
    if (value > 0) this.#frontier.push(query, value);
  }

  #best(): NameQuery | null {
    for (;;) {
      const entry = this.#frontier.pop();
      if (entry === null) return null;
      const { value } = this.#yieldOf(entry.item);
      if (value <= 0) continue;
      const next = this.#frontier.peek();
      if (next === null || value >= next.score) return entry.item;
      this.#frontier.push(entry.item, value);
    }
  }

  /** Returns a query's best purpose and its value: the expected number of names found or excluded per call. */
  #yieldOf(query: NameQuery): {
    readonly value: number;
    readonly purpose: Purpose;
    readonly names: number[];
  } {
    if (this.#active.has(query)) return NOTHING;
    const open = query.names.filter((at) => this.#claims[at] === null && this.#findings.isOpen(at));
    const shared = (SHARED_DISCOUNT * open.length) / this.#queries.pagesLeft(query);
    const wholes = query.isAbandoned ? [] : query.wholes.filter((at) => open.includes(at));
    if (shared > wholes.length && open.length > 1) return { value: shared, purpose: 'share', names: open };
    return { value: wholes.length, purpose: 'whole', names: wholes };
  }
}

const NOTHING = { value: 0, purpose: 'share', names: [] } as const satisfies {
  value: number;
  purpose: Purpose;
  names: number[];
};

function reasonOf(names: number): string {
  return `finds ${names === 1 ? 'a wanted name' : `${names} wanted names`}`;
}

// The discount for a shared listing, because its yield is less certain than the yield of a query for one name.
const SHARED_DISCOUNT = 0.9;
