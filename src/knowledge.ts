import type { SearchQuery } from './call.ts';
import type { EstimateState } from './change_rate/change_estimates.ts';
import type { Failure, ListedCompany, QueryState } from './load_result.ts';
import type { CompaniesWith, TextsInOrder, WordsInOrder } from './names/ordered_texts.ts';

export type { Failure, ListedCompany, LoadResult, QueryState } from './load_result.ts';

/** A small read-only view of the warehouse for the planner. Simulations implement it in memory. */
export interface Knowledge {
  /** Companies listed or fetched so far. */
  knownCount(): number;
  /** The latest registry count and its time; null: no statistics were received. `total` null: they contain no count. */
  latestStats(): { readonly observedAtMs: number; readonly total: number | null } | null;
  /** The registry count that was the latest at this time; null: none was received by then. */
  registryCountAt(atMs: number): number | null;
  /** Statistics calls recorded in this warehouse. */
  statsCallsMade(): number;
  /** The state of every query sent so far, in no particular order. */
  queries(): Iterable<QueryState>;
  /**
   * The new companies of each search, the last search first. It excludes repeated listings and searches before the last
   * change of the registry count: companies counted before that change may have been unreachable.
   */
  newBySearches(): Iterable<number>;
  /** Known companies (id and name as last seen), streamed. */
  knownCompanies(): Iterable<KnownCompany>;
  /** The names or identifiers of known companies, folded for comparison. Companies loaded later are included. */
  textsInOrder(by: SearchQuery['by']): TextsInOrder;
  /** The words of their names; null: no index of words. Companies loaded later are included. */
  wordsInOrder(companies: CompaniesWith): WordsInOrder | null;
  /** Entities whose record is due, the most valuable first. */
  recordsDue(ask: RecordsDue): DueRecord[];
  /** The change rates and the share of changes that listings show, as learned so far. */
  changeEstimates(): EstimateState;
  /** Fetched companies by class of change rates. A scan: call it rarely. */
  rateClasses(): ReadonlyMap<number, number>;
  /** Failed targets that wait for a retry. */
  failures(): Iterable<Failure>;
  /**
   * Is a control call needed? It is when a known entity returned 404 and the upstream's response for an unknown id has
   * not been seen yet.
   */
  controlNeeded(): boolean;
}

export interface KnownCompany {
  readonly entityId: string;
  readonly name: string | null;
}

export interface RecordsDue {
  readonly nowMs: number;
  /** A record fetched before this time is due. */
  readonly beforeMs: number;
  /** The start of the run: a record fetched since then is not due, even if it is flagged. */
  readonly startedAtMs: number;
  readonly most: number;
  /** Ids that are in flight or wait for a retry. */
  readonly except: ReadonlySet<string>;
  /** The expected yield of a fetch; absent: flagged records come first, stale ones last. */
  readonly expectedYield?: (record: RatedRecord) => ExpectedYield;
}

/** The facts that decide the expected yield of a fetch. */
export interface RatedRecord {
  readonly why: 'never_fetched' | 'flagged' | 'stale';
  /** See `rateOfClass`. */
  readonly rateClass: number;
  readonly ageDays: number;
}

export interface ExpectedYield {
  /** Days for which one more record is right. Calls are compared by this value. */
  readonly days: number;
  /** The expected number of outdated records that the call repairs. */
  readonly repairs: number;
}

export interface DueRecord {
  readonly entityId: string;
  readonly why: 'never_fetched' | 'flagged' | 'stale' | 'missing' | 'wanted';
  /** Present if the request contains `expectedYield`. */
  readonly expectedYield?: ExpectedYield;
}

/** The additional lookups of a backfill. Its `failures` are those since the start of the backfill. */
export interface BackfillKnowledge extends Knowledge {
  /** Is the record recent enough, or did this backfill fetch it already? */
  isFresh(entityId: string): boolean;
  /** Queries whose listings are recent enough. */
  freshQueries(): Iterable<QueryState>;
  /** The companies in the current listing of a query, in order. */
  listed(query: SearchQuery): readonly Pick<ListedCompany, 'entityId' | 'name'>[];
}
