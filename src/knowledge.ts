import type { SearchQuery } from './call.ts';
import type { EstimateState } from './change_rate/change_estimates.ts';
import type { Failure, ListedCompany, QueryState } from './load_result.ts';
import type { CompaniesWith, TextsInOrder, WordsInOrder } from './names/ordered_texts.ts';

export type { Failure, ListedCompany, LoadResult, QueryState } from './load_result.ts';

/** The facts that the planner reads from the warehouse. Simulations implement this interface in memory. */
export interface Knowledge {
  /** The number of companies that were listed or fetched so far. */
  knownCount(): number;
  /**
   * The latest registry count and the time of its call. Null if no statistics were received; `total` is null if the
   * statistics contain no count.
   */
  latestStats(): { readonly observedAtMs: number; readonly total: number | null } | null;
  /** The latest registry count received before or at `atMs`; null if none was received by then. */
  registryCountAt(atMs: number): number | null;
  /** The number of statistics calls recorded in this warehouse. */
  statsCallsMade(): number;
  /** The state of every query sent so far, in no particular order. */
  queries(): Iterable<QueryState>;
  /**
   * The number of new companies that each search found, the latest search first. Repeated listings are excluded. So are
   * searches before the registry count last changed, because the companies that were missing then may have been
   * unreachable.
   */
  newBySearches(): Iterable<number>;
  /** Streams the known companies, each with its id and latest name. */
  knownCompanies(): Iterable<KnownCompany>;
  /** The folded names or identifiers of the known companies. Companies that are loaded later appear in it too. */
  textsInOrder(by: SearchQuery['by']): TextsInOrder;
  /**
   * The words in the names of these companies; null if the warehouse has no word index. Companies that are loaded later
   * appear in it too.
   */
  wordsInOrder(companies: CompaniesWith): WordsInOrder | null;
  /** The entities whose records are due, the most valuable first. */
  recordsDue(ask: RecordsDue): DueRecord[];
  /** The current estimates of the change rates and of the share of changes that listings show. */
  changeEstimates(): EstimateState;
  /** The number of fetched companies in each rate class. Scans a whole table, so call it rarely. */
  rateClasses(): ReadonlyMap<number, number>;
  /** Failed targets that wait for a retry. */
  failures(): Iterable<Failure>;
  /**
   * Is a control call needed? It is needed if a known entity returned 404 before any response for an unknown id was
   * received.
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
  /** The start of the run. A record that was fetched after it is not due, even if it is flagged. */
  readonly startedAtMs: number;
  readonly most: number;
  /** The ids to leave out, because they are in flight or wait for a retry. */
  readonly except: ReadonlySet<string>;
  /**
   * Computes the expected yield of a fetch. If absent, flagged records come first and records that are too old come
   * last.
   */
  readonly expectedYield?: (record: RatedRecord) => ExpectedYield;
}

/** The facts that determine the expected yield of fetching a record. */
export interface RatedRecord {
  readonly why: 'never_fetched' | 'flagged' | 'stale';
  /** See `rateOfClass`. */
  readonly rateClass: number;
  readonly ageDays: number;
}

export interface ExpectedYield {
  /**
   * The expected days for which one more record is up to date because of the call. The planner compares calls by this
   * value.
   */
  readonly days: number;
  /** The expected number of outdated records that the call replaces with current ones. */
  readonly repairs: number;
}

export interface DueRecord {
  readonly entityId: string;
  readonly why: 'never_fetched' | 'flagged' | 'stale' | 'missing' | 'wanted';
  /** Present if the request contains `expectedYield`. */
  readonly expectedYield?: ExpectedYield;
}

/** The facts that a backfill also needs. `failures` returns only failures since the start of the backfill. */
export interface BackfillKnowledge extends Knowledge {
  /** Is the record recent enough, or did this backfill fetch it already? */
  isFresh(entityId: string): boolean;
  /** The queries whose listings are recent enough. */
  freshQueries(): Iterable<QueryState>;
  /** The companies in the current listing of a query, in the order of the upstream. */
  listed(query: SearchQuery): readonly Pick<ListedCompany, 'entityId' | 'name'>[];
}
