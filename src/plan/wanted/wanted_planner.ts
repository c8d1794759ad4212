import type { Call, SearchCall } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import type { BackfillKnowledge, LoadResult, QueryState } from '../../knowledge.ts';
import { isSettled } from '../../load_result.ts';
import type { PlanInput } from '../../planner.ts';
import type { Candidate, Guard, Source } from '../candidate.ts';
import { ContradictedListings } from '../contradicted_listings.ts';
import type { AgeLimit } from '../due.ts';
import { Pending } from '../pending.ts';
import { RankedPlanner } from '../ranked_planner.ts';
import { Records } from '../refresh/records.ts';
import { Statistics } from '../statistics.ts';
import { WaitingSearch } from '../waiting_search.ts';
import type { Goal, GoalContext } from './goal.ts';
import { ScopedListing, type WantedListing } from './scoped_listing.ts';
import { type Finding, WantedNames } from './wanted_names.ts';

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
export class WantedPlanner extends RankedPlanner {
  readonly #names: WantedNames | null;
  readonly #listings: readonly ScopedListing[];
  readonly #records: WantedRecords;

  constructor(options: {
    readonly knowledge: BackfillKnowledge;
    readonly dialect: Dialect;
    readonly wanted: Wanted;
    /** When statistics are due; null if they may not be requested. */
    readonly statistics: AgeLimit | null;
    readonly guards?: readonly Guard[];
  }) {
    const { knowledge, dialect, wanted, statistics, guards = [] } = options;
    const pending = new Pending(knowledge.failures());
    const records = new WantedRecords(knowledge, wanted.entityIds, pending);
    const states = wanted.names.length + wanted.listings.length === 0 ? [] : [...knowledge.freshQueries()];
    const onFound = wanted.withRecords ? (entityId: string) => records.want(entityId) : () => {};
    const context: GoalContext = { knowledge, dialect, pending, states, onFound };
    const names = wanted.names.length === 0 ? null : new WantedNames(wanted.names, context);
    const listings = wanted.listings.map((listing) => new ScopedListing(listing, context));
    const listed = states.filter(({ query }) => listings.some((listing) => listing.includes(query)));
    super({
      sources: [
        ...(statistics === null ? [] : [new Statistics({ knowledge, age: statistics, pending })]),
        new ContradictedListings(listed, pending),
        new WantedSearches(names === null ? listings : [names, ...listings], pending),
        records,
      ],
      ...{ guards, pending, kinds: new Set(['search', 'entity']) },
      knownCount: () => knowledge.knownCount(),
    });
    this.#names = names;
    this.#listings = listings;
    this.#records = records;
  }

  /** Returns whether one of these companies' records is still to be fetched. */
  isFetching(entityIds: Iterable<string>): boolean {
    for (const entityId of entityIds) if (this.#records.isQueued(entityId)) return true;
    return false;
  }

  /** Returns what was found for the wanted name with this index. */
  finding(at: number): Finding {
    return this.#names?.finding(at) ?? { is: 'open' };
  }

  /** Returns the state of the wanted listing with this index. */
  listing(at: number): Pick<ScopedListing, 'isDone' | 'found' | 'total'> {
    return this.#listings[at] ?? { isDone: true, found: new Set<string>(), total: null };
  }
}

/** Proposes the searches of the goals, in their order. They come before records. */
class WantedSearches implements Source {
  readonly #goals: readonly Goal[];
  readonly #next: WaitingSearch;

  constructor(goals: readonly Goal[], pending: Pending) {
    this.#goals = goals;
    this.#next = new WaitingSearch({
      pending,
      next: (nowMs) => this.#bestSearch(nowMs),
      release: (search) => this.release(search),
    });
  }

  best({ nowMs }: PlanInput): Candidate | null {
    const call = this.#next.best(nowMs);
    return call === null ? null : { call, value: VALUE, planned: () => this.#next.planned() };
  }

  learn(result: LoadResult): void {
    const { call, verdict, failure } = result;
    if (call.kind === 'entity') return;
    this.#next.drop();
    const isGivenUp = verdict === 'refused' || (failure?.step ?? 0) >= LAST_STEP;
    const learned = isGivenUp && call.kind === 'search' ? refusal(result, call) : result;
    for (const goal of this.#goals) goal.learn(learned);
  }

  release(call: Call): void {
    if (call.kind === 'search') for (const goal of this.#goals) goal.release(call);
  }

  #bestSearch(nowMs: number): SearchCall | null {
    for (const goal of this.#goals) {
      const search = goal.next(nowMs);
      if (search !== null) return search;
    }
    return null;
  }
}

/** Returns the result of a search that was refused or failed repeatedly, so that its query is given up. */
function refusal(result: LoadResult, { query }: SearchCall): LoadResult {
  const refused: QueryState = {
    ...{ query, total: null, pages: 0, rows: 0, next: null, status: 'refused', listedAtMs: 0 },
  };
  return { ...result, verdict: 'refused', query: refused, rows: [] };
}

/** Proposes the calls for wanted records, in the order in which they were requested or found. */
class WantedRecords extends Records {
  readonly #knowledge: BackfillKnowledge;
  /** The ids of the wanted records that have not been fetched yet. */
  readonly #queue: Set<string>;

  constructor(knowledge: BackfillKnowledge, entityIds: readonly string[], pending: Pending) {
    const queue = new Set(entityIds);
    const recordsDue: BackfillKnowledge['recordsDue'] = ({ most, except }) => {
      const free = queue.values().filter((entityId) => !except.has(entityId));
      return [...free.take(most).map((entityId) => ({ entityId, why: 'wanted' as const }))];
    };
    super({ knowledge: { ...knowledge, recordsDue }, age: ONCE, pending });
    this.#knowledge = knowledge;
    this.#queue = queue;
  }

  isQueued(entityId: string): boolean {
    return this.#queue.has(entityId);
  }

  want(entityId: string): void {
    if (this.#knowledge.isFresh(entityId)) return;
    this.#queue.add(entityId);
    this.lookAgain();
  }

  override learn(result: LoadResult): void {
    super.learn(result);
    const { call, verdict } = result;
    if (call.kind === 'entity' && isSettled(verdict)) this.#queue.delete(call.entityId);
  }
}

/** Returns whether the registry count is needed to decide if several names can share a search. */
export function needsCount(dialect: Dialect, names: readonly string[]): boolean {
  return names.length > 1 && dialect.search.matches !== 'unknown' && dialect.stats.total !== null;
}

/** The age limit of what is requested only once. */
export const ONCE: AgeLimit = {
  startedAtMs: Number.POSITIVE_INFINITY,
  maxAgeMs: Number.POSITIVE_INFINITY,
};
const LAST_STEP = 3;
/** The value of a search. A record's value is at most 1, unless it proves a deletion. */
const VALUE = 2;
