import type { Call, SearchCall, SearchQuery } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import type { BackfillKnowledge, DueRecord, ListedCompany, LoadResult, RecordsDue } from '../../knowledge.ts';
import { isSettled } from '../../load_result.ts';
import { windowOf } from '../../names/query_matching.ts';
import type { Plan, PlanInput, Planner } from '../../planner.ts';
import type { Candidate, Guard, Source } from '../candidate.ts';
import { ContradictedListings } from '../contradicted_listings.ts';
import type { AgeLimit } from '../due.ts';
import { Pending } from '../pending.ts';
import { RankedPlanner } from '../ranked_planner.ts';
import { Records } from '../refresh/records.ts';
import { Statistics } from '../statistics.ts';
import { WaitingSearch } from '../waiting_search.ts';
import type { Finding } from './name_findings.ts';
import { NameHunt } from './name_hunt.ts';
import type { NameQueryRules } from './name_queries.ts';
import { ScopedListing, type WantedListing } from './scoped_listing.ts';

/** The items in a backfill or watchlist. */
export interface Wanted {
  readonly entityIds: readonly string[];
  readonly names: readonly string[];
  readonly listings: readonly WantedListing[];
  /** Whether to fetch the records of companies that a search finds. */
  readonly withRecords: boolean;
}

/**
 * Plans only the calls for the wanted items: searches for names, listings of queries and prefixes, and then records.
 */
export class WantedPlanner implements Planner {
  readonly #planner: RankedPlanner;
  readonly #searches: WantedSearches;

  constructor(options: {
    readonly knowledge: BackfillKnowledge;
    readonly dialect: Dialect;
    readonly wanted: Wanted;
    /** When statistics are due; null if they may not be requested. */
    readonly statistics: AgeLimit | null;
    readonly guards?: readonly Guard[];
  }) {
    const { knowledge, dialect, wanted, statistics } = options;
    const pending = new Pending(knowledge.failures());
    const records = new WantedRecords(knowledge, wanted.entityIds, pending);
    const onFound = wanted.withRecords ? (entityId: string) => records.want(entityId) : () => {};
    this.#searches = new WantedSearches({ knowledge, dialect, wanted, pending, onFound });
    const stored = wanted.listings.length === 0 ? [] : [...knowledge.freshQueries()];
    const queries = stored.filter(({ query }) => this.#searches.lists(query));
    this.#planner = new RankedPlanner({
      sources: [
        ...(statistics === null ? [] : [new Statistics({ knowledge, age: statistics, pending })]),
        new ContradictedListings(queries, pending),
        this.#searches,
        records,
      ],
      ...{ guards: options.guards ?? [], pending, kinds: new Set(['search', 'entity']) },
      knownCount: () => knowledge.knownCount(),
    });
  }

  next(ask: PlanInput): Plan {
    return this.#planner.next(ask);
  }

  learn(result: LoadResult): void {
    this.#planner.learn(result);
  }

  release(call: Call): void {
    this.#planner.release(call);
  }

  /** Returns what was found for the wanted name with this index. */
  finding(at: number): Finding {
    return this.#searches.hunt.finding(at);
  }

  /** Returns the state of the wanted listing with this index. */
  listing(at: number): { readonly isDone: boolean; readonly found: number; readonly total: number | null } {
    return this.#searches.listings[at] ?? { isDone: true, found: 0, total: null };
  }
}

/** Proposes the searches for wanted names and the pages of wanted listings. They come before records. */
class WantedSearches implements Source {
  readonly hunt: NameHunt;
  readonly listings: readonly ScopedListing[];
  readonly #knowledge: BackfillKnowledge;
  readonly #onFound: (entityId: string) => void;
  /** The wanted names without a finding. */
  readonly #openNames: Set<number>;
  readonly #next: WaitingSearch;

  constructor(options: {
    readonly knowledge: BackfillKnowledge;
    readonly dialect: Dialect;
    readonly wanted: Wanted;
    readonly pending: Pending;
    /** Called with each company that was found. */
    readonly onFound: (entityId: string) => void;
  }) {
    const { knowledge, dialect, wanted, pending, onFound } = options;
    this.#knowledge = knowledge;
    this.#onFound = onFound;
    this.#next = new WaitingSearch({
      pending,
      next: (nowMs) => this.#bestSearch(nowMs),
      release: (search) => this.release(search),
    });
    this.hunt = restoredHunt(knowledge, dialect, wanted.names, pending);
    this.listings = wanted.listings.map((one) => new ScopedListing(one, { knowledge, dialect, pending }));
    this.#openNames = new Set(wanted.names.keys());
    this.#restoreListings();
    this.#reportFound(wanted.names.keys());
  }

  best({ nowMs }: PlanInput): Candidate | null {
    return this.#next.best(nowMs) === null ? null : { kind: 'search', value: VALUE };
  }

  take(): Call | null {
    return this.#next.take();
  }

  learn(result: LoadResult): void {
    const { call } = result;
    if (call.kind === 'entity') return;
    this.#next.drop();
    const total = this.#knowledge.latestStats()?.total ?? null;
    if (call.kind === 'search') this.#learnSearch(call.query, result);
    else if (total !== null) this.hunt.setRegistryTotal(total);
  }

  release(call: Call): void {
    if (call.kind !== 'search') return;
    for (const listing of this.#including(call.query)) listing.release(call);
  }

  #bestSearch(nowMs: number): SearchCall | null {
    let best = this.hunt.next(nowMs);
    for (const listing of this.listings) best ??= listing.next(nowMs);
    return best;
  }

  #learnSearch(query: SearchQuery, result: LoadResult): void {
    for (const { entityId, name, isNew, changed } of result.rows)
      if (name !== null && (isNew || changed)) this.hunt.see(entityId, name);
    const including = this.#including(query);
    if (result.verdict === 'refused' || (result.failure?.tries ?? 0) >= MAX_TRIES) {
      if (query.by === 'name') this.hunt.giveUp(query.text);
      for (const listing of including) listing.giveUp(result, query);
    } else {
      if (result.query !== null && query.by === 'name') this.hunt.learn(result.query, namesOf(result.rows));
      for (const listing of including) listing.learn(result);
      if (including.length > 0) for (const { entityId } of result.rows) this.#onFound(entityId);
    }
    if (query.by === 'name') this.#reportFound(this.hunt.namesFoundBy(query.text));
  }

  #reportFound(names: Iterable<number>): void {
    for (const at of names) {
      const finding = this.hunt.finding(at);
      if (finding.is === 'open' || !this.#openNames.delete(at)) continue;
      if (finding.is === 'found') this.#onFound(finding.company.entityId);
    }
  }

  /** Returns whether the query belongs to a wanted listing. */
  lists(query: SearchQuery): boolean {
    return this.#including(query).length > 0;
  }

  #including(query: SearchQuery): ScopedListing[] {
    return this.listings.filter((listing) => listing.includes(query));
  }

  /** Restores the listings from stored responses. */
  #restoreListings(): void {
    const states = this.listings.length === 0 ? [] : [...this.#knowledge.freshQueries()];
    for (const listing of this.listings) {
      const own = states.filter(({ query }) => listing.includes(query));
      listing.restore(own, (query) => {
        const rows = this.#knowledge.listed(query);
        for (const { entityId } of rows) this.#onFound(entityId);
        return rows;
      });
    }
  }
}

/** Proposes the calls for wanted records, in the order in which they were requested or found. */
class WantedRecords implements Source {
  readonly #knowledge: BackfillKnowledge;
  readonly #records: Records;
  /** The ids of the wanted records that have not been fetched yet. */
  readonly #queue: Set<string>;

  constructor(knowledge: BackfillKnowledge, entityIds: readonly string[], pending: Pending) {
    this.#knowledge = knowledge;
    this.#queue = new Set(entityIds);
    this.#records = new Records({
      ...{ knowledge: { ...knowledge, recordsDue: (ask) => this.#due(ask) }, age: ONCE, pending },
    });
  }

  get drift(): string | null {
    return this.#records.drift;
  }

  want(entityId: string): void {
    if (this.#knowledge.isFresh(entityId)) return;
    this.#queue.add(entityId);
    this.#records.lookAgain();
  }

  best(ask: PlanInput): Candidate | null {
    return this.#records.best(ask);
  }

  take(ask: PlanInput): Call | null {
    return this.#records.take(ask);
  }

  learn(result: LoadResult): void {
    this.#records.learn(result);
    const { call, verdict } = result;
    if (call.kind === 'entity' && isSettled(verdict)) this.#queue.delete(call.entityId);
  }

  release(call: Call): void {
    this.#records.release(call);
  }

  #due({ most, except }: RecordsDue): DueRecord[] {
    const due: DueRecord[] = [];
    for (const entityId of this.#queue) {
      if (due.length >= most) break;
      if (!except.has(entityId)) due.push({ entityId, why: 'wanted' });
    }
    return due;
  }
}

/** Opens a name hunt, and adds all known companies and stored responses to it. */
export function restoredHunt(
  knowledge: BackfillKnowledge,
  dialect: Dialect,
  names: readonly string[],
  pending: Pending,
): NameHunt {
  const hunt = new NameHunt(names, searchRules(dialect), pending);
  if (names.length === 0) return hunt;
  for (const { entityId, name } of knowledge.knownCompanies()) if (name !== null) hunt.see(entityId, name);
  for (const state of knowledge.freshQueries()) {
    const { by, text } = state.query;
    if (by !== 'name') continue;
    const needsOrder = hunt.isWholeName(text) && state.status !== 'complete';
    hunt.restore(state, needsOrder ? namesOf(knowledge.listed(state.query)) : []);
  }
  hunt.start();
  const total = knowledge.latestStats()?.total ?? null;
  if (total !== null) hunt.setRegistryTotal(total);
  return hunt;
}

/** Returns whether the registry count is needed to decide if several names can share a search. */
export function needsCount(dialect: Dialect, names: readonly string[]): boolean {
  return names.length > 1 && dialect.search.matches !== 'unknown' && dialect.stats.total !== null;
}

/** Returns the known rules for name searches. `semantics` is null if the query rule is unknown. */
export function searchRules(dialect: Dialect): NameQueryRules {
  const { search } = dialect;
  return {
    semantics: search.matches === 'unknown' ? null : search.matches,
    minLength: search.min_length,
    pageSize: search.paging.size,
    window: windowOf(dialect),
  };
}

function namesOf(rows: readonly Pick<ListedCompany, 'name'>[]): string[] {
  return rows.map(({ name }) => name ?? '');
}

/** The age limit of what is requested only once. */
export const ONCE: AgeLimit = {
  startedAtMs: Number.POSITIVE_INFINITY,
  maxAgeMs: Number.POSITIVE_INFINITY,
};
const MAX_TRIES = 3;
/** The value of a search. A record's value is at most 1, unless it proves a deletion. */
const VALUE = 2;
