import { FIRST_PAGE, type SearchCall, targetOf } from '../../call.ts';
import type { QueryState } from '../../knowledge.ts';
import { type Candidate, MIN_SCORE, NameCandidates } from '../../names/name_candidates.ts';
import { comparable } from '../../names/similarity.ts';
import { Heap } from '../heap.ts';
import type { Pending } from '../pending.ts';
import { NameQueries, type NameQuery, type NameQueryRules } from './name_queries.ts';

/** What is known of one wanted name. */
export type Finding =
  | { readonly is: 'open' }
  /** One company has this name, and no other. */
  | { readonly is: 'found'; readonly company: Candidate }
  /** Several have it, or only similar names were seen: a person must decide. The best first. */
  | { readonly is: 'ambiguous'; readonly candidates: readonly Candidate[] }
  | { readonly is: 'not_found' };

/** For what a query was chosen: to list it whole, to find one name, or to see names like some. */
type Purpose = 'share' | 'whole' | 'explore';

interface Active {
  readonly query: NameQuery;
  readonly purpose: Purpose;
  /** The names that wait for it; nothing else is asked for them meanwhile. */
  readonly claimed: readonly number[];
}

/**
 * Looks for companies by name with the fewest searches. A query that finds several wanted names is listed to
 * its end where that takes fewer calls than asking for each; what it did not show, does not exist. Names that
 * no company has are looked for once or twice more by a shorter text, for the sake of similar names.
 */
export class NameHunt {
  readonly #pending: Pending;
  readonly #texts: NameQueries;
  readonly #candidates: NameCandidates;
  readonly #frontier = new Heap<NameQuery>();
  readonly #active = new Map<NameQuery, Active>();
  readonly #claim: (NameQuery | null)[];
  readonly #looked: Looked[];
  readonly #explored: number[];
  readonly #names: readonly string[];

  constructor(names: readonly string[], rules: NameQueryRules, pending: Pending) {
    this.#names = names;
    this.#pending = pending;
    this.#texts = new NameQueries(names, rules);
    this.#candidates = new NameCandidates(names);
    this.#claim = names.map(() => null);
    this.#looked = names.map(() => 'no');
    this.#explored = names.map(() => 0);
  }

  /** How many companies the registry has: only then can it be told which queries are worth sharing. */
  setRegistryTotal(total: number): void {
    this.#texts.setRegistryTotal(total);
    this.start();
  }

  /** A company became known, or is known. */
  see(entityId: string, name: string): void {
    this.#texts.see(name);
    this.#candidates.see(entityId, name);
  }

  /** A stored answer to a query, before the start. `firstNames`: the names on its first page, in order. */
  restore(state: QueryState, firstNames: readonly string[]): void {
    const query = this.#texts.get(state.query.text);
    if (query === undefined) return;
    this.#texts.answered(query, state);
    this.#conclude(query, state, firstNames);
  }

  /** Call once after everything stored has been told. */
  start(): void {
    for (const query of this.#texts.all()) this.#offer(query);
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
      for (const at of names) this.#claim[at] = query;
      this.#active.set(query, active);
      this.#take(active, nowMs, calls);
    }
    return calls;
  }

  /** A page was loaded; its companies were seen. `pageNames`: in the order received. */
  answered(state: QueryState, pageNames: readonly string[]): void {
    const query = this.#texts.get(state.query.text);
    if (query === undefined) return;
    this.#texts.answered(query, state);
    this.#conclude(query, state, state.pages === 1 ? pageNames : []);
    const active = this.#active.get(query);
    if (active !== undefined && !this.#goesOn(active, state)) this.#leave(active);
  }

  /** The query failed again and again, or was refused. */
  gaveUp(text: string): void {
    const query = this.#texts.get(text);
    if (query === undefined) return;
    query.isLeft = true;
    for (const at of query.wholes) this.#look(at, 'in_part');
    const active = this.#active.get(query);
    if (active !== undefined) this.#leave(active);
  }

  /** The wanted names that this query finds. */
  namesFoundBy(text: string): readonly number[] {
    return this.#texts.get(text)?.names ?? [];
  }

  /** How many companies this query is expected to find. */
  expectedTotal(text: string): number {
    const query = this.#texts.get(text);
    return query === undefined ? 0 : this.#texts.expectedTotal(query);
  }

  /** Is this the whole of a wanted name? */
  isWholeName(text: string): boolean {
    return (this.#texts.get(text)?.wholes.length ?? 0) > 0;
  }

  finding(at: number): Finding {
    const looked = this.#looked[at];
    if (looked === 'no') return { is: 'open' };
    const same = this.#candidates.same(at);
    const [first] = same;
    if (first !== undefined && same.length === 1 && looked !== 'in_part')
      return { is: 'found', company: first };
    const candidates = first !== undefined ? same : this.#candidates.of(at);
    return candidates.length > 0 ? { is: 'ambiguous', candidates } : { is: 'not_found' };
  }

  /** What an answer settles: all names under a complete listing; one name by its own query. */
  #conclude(query: NameQuery, state: QueryState, firstNames: readonly string[]): void {
    if (state.status === 'complete') for (const at of query.names) this.#look(at, 'whole');
    else {
      for (const at of query.wholes) if (this.#isRankedFirst(at, firstNames)) this.#look(at, 'whole');
      const isSpent = state.status !== 'open' || state.pages >= MOST_PAGES_FOR_ONE;
      if (isSpent) for (const at of query.wholes) this.#look(at, 'in_part');
    }
  }

  /**
   * Where a search ranks the very name first, others of this name would stand beside it: a first page that
   * begins with it and goes on with other names shows them all.
   */
  #isRankedFirst(at: number, names: readonly string[]): boolean {
    const wanted = comparable(this.#names[at] as string);
    const isSame = names.map((name) => comparable(name) === wanted);
    const others = isSame.indexOf(false);
    return others > 0 && !isSame.includes(true, others);
  }

  #look(at: number, how: Looked): void {
    if (this.#looked[at] === 'whole' || this.#looked[at] === how) return;
    this.#looked[at] = how;
    this.#offerNearby(at);
  }

  /** Is it worth another page? */
  #goesOn({ query, purpose, claimed }: Active, state: QueryState): boolean {
    if (state.status !== 'open') return false;
    const open = claimed.filter((at) => this.#looked[at] === 'no');
    if (purpose === 'explore' || open.length === 0) return false;
    if (purpose === 'whole') return state.pages < MOST_PAGES_FOR_ONE;
    if (state.total === null) return state.pages < open.length;
    return open.length >= this.#texts.pagesLeft(query);
  }

  #leave(active: Active): void {
    const { query, purpose, claimed } = active;
    this.#active.delete(query);
    for (const at of claimed) {
      this.#claim[at] = null;
      if (purpose === 'explore') this.#explored[at] = (this.#explored[at] ?? 0) + 1;
    }
    for (const at of claimed)
      if (this.#looked[at] === 'no') for (const other of this.#texts.ofName(at)) this.#offer(other);
      else this.#offerNearby(at);
  }

  #offerNearby(at: number): void {
    const query = this.#isToExplore(at) ? this.#texts.nearby(at) : null;
    if (query !== null) this.#offer(query);
  }

  #take({ query, purpose, claimed }: Active, nowMs: number, calls: SearchCall[]): void {
    const state = query.state;
    const page = state === null || state.pages === 0 ? FIRST_PAGE : { index: state.pages, next: state.next };
    const expected = Math.round(100 * (claimed.length / Math.max(1, this.#pagesFor(query, purpose)))) / 100;
    const call: SearchCall = {
      kind: 'search',
      query: { by: 'name', text: query.text },
      page,
      reason: reasonOf(purpose, claimed.length),
      expected,
    };
    if (!this.#pending.isFree('search', targetOf(call), nowMs)) return;
    this.#pending.sent(call);
    calls.push(call);
  }

  #pagesFor(query: NameQuery, purpose: Purpose): number {
    return purpose === 'share' ? this.#texts.pagesLeft(query) : 1;
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

  /** What a query is worth per call, in names settled, and for which purpose. */
  #yieldOf(query: NameQuery): {
    readonly value: number;
    readonly purpose: Purpose;
    readonly names: number[];
  } {
    if (this.#active.has(query)) return NOTHING;
    const free = query.names.filter((at) => this.#claim[at] === null);
    const open = free.filter((at) => this.#looked[at] === 'no');
    const shared = (SHARED_DISCOUNT * open.length) / this.#texts.pagesLeft(query);
    const wholes = query.isLeft ? [] : query.wholes.filter((at) => open.includes(at));
    const hope = free.filter((at) => this.#isToExplore(at) && this.#texts.nearby(at) === query);
    if (shared > wholes.length && shared > EXPLORING * hope.length && open.length > 1)
      return { value: shared, purpose: 'share', names: open };
    if (wholes.length > EXPLORING * hope.length)
      return { value: wholes.length, purpose: 'whole', names: wholes };
    return { value: EXPLORING * hope.length, purpose: 'explore', names: hope };
  }

  #isToExplore(at: number): boolean {
    return (
      this.#looked[at] !== 'no' &&
      (this.#explored[at] ?? 0) < MOST_EXPLORED &&
      this.#candidates.bestScore(at) < GOOD_SCORE
    );
  }
}

/** whole: all companies of this name were seen; in_part: as far as the upstream lets see. */
type Looked = 'no' | 'in_part' | 'whole';

const NOTHING = { value: 0, purpose: 'share', names: [] } as const satisfies {
  value: number;
  purpose: Purpose;
  names: number[];
};

function reasonOf(purpose: Purpose, names: number): string {
  const wanted = names === 1 ? 'a wanted name' : `${names} wanted names`;
  return purpose === 'explore' ? `looks for names like ${wanted}` : `finds ${wanted}`;
}

// What is expected of a listing is less sure than what one name's own query brings.
const SHARED_DISCOUNT = 0.9;
const EXPLORING = 0.3;
const MOST_EXPLORED = 2;
const MOST_PAGES_FOR_ONE = 2;
// Above this the similar name is most likely the right one: looking further would only add strangers.
const GOOD_SCORE = Math.max(0.85, MIN_SCORE);
