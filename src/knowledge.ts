import type { SearchQuery } from './call.ts';
import type { EstimateState } from './change_rate/change_estimates.ts';
import type { Failure, ListedCompany, QueryState } from './load_result.ts';
import type { TextsInOrder, WordsInOrder } from './names/ordered_texts.ts';

export type { Failure, ListedCompany, LoadResult, QueryState } from './load_result.ts';

/** The facts that the planner reads from the warehouse. Simulations implement this interface in memory. */
export interface Knowledge {
  /** The number of companies listed or fetched so far. */
  knownCount(): number;
  /** Those that are neither gone nor missing, and have not left the listing of all companies. */
  existingCount(): number;
  /** Those that a listing has shown since this time. Call it rarely, because it scans a whole table. */
  listedSince(atMs: number): number;
  /**
   * The last registry count and the time of its call; null if no statistics have been received. `total` is null if the
   * statistics include no count.
   */
  latestStats(): { readonly observedAtMs: number; readonly total: number | null } | null;
  /**
   * The last registry count received at or before `atMs`, or the first one after it. Null if there is none. A first count
   * does not show that the registry has grown.
   */
  registryCountAt(atMs: number): number | null;
  /** The number of statistics calls recorded in this warehouse. */
  statsCallsMade(): number;
  /** Whether a company can have several rows in a listing, so that rows and totals do not count companies. */
  hasSeveralRows(): boolean;
  /** The state of every query sent so far, in no particular order. */
  queries(): Iterable<QueryState>;
  /** The searches made so far, most recent search first. Repeated listings are excluded. */
  latestSearches(): Iterable<MadeSearch>;
  /** Streams the known companies with their ids and current names. */
  knownCompanies(): Iterable<KnownCompany>;
  /**
   * The ids of at most `most` companies that probably still exist. They are spread over all known companies, because
   * neighbours can be deleted together.
   */
  sampleIds(most: number): string[];
  /** The folded names or identifiers of the known companies. Companies loaded later are included. */
  textsInOrder(by: SearchQuery['by']): TextsInOrder;
  /** The words in names; null if the warehouse does not count them. Companies loaded later are included. */
  wordsInOrder(): WordsInOrder | null;
  /** The entities with due records, most valuable first. */
  recordsDue(ask: RecordsDue): DueRecord[];
  /** The current estimates: the change rates, and the share of changes that listings show. */
  changeEstimates(): EstimateState;
  /** The number of fetched companies in each rate class. Call it rarely, because it scans a whole table. */
  rateClasses(): ReadonlyMap<number, number>;
  /** Counts the unflagged companies whose record is at least as old as the age, in days, for its rate class. */
  recordsOlderThan(ages: ReadonlyMap<number, number>, nowMs: number): number;
  /** The failed targets that are waiting for a retry. */
  failures(): Iterable<Failure>;
  /**
   * Returns whether a control call is needed: the upstream returned 404 for a known entity, but has not been asked for
   * an unknown id yet.
   */
  controlNeeded(): boolean;
}

/** A search and what it found. */
export interface MadeSearch {
  readonly query: SearchQuery;
  readonly reason: string;
  /** The number of new companies that it was expected to find. */
  readonly expected: number;
  readonly found: number;
  readonly callId: number;
  /** The last call whose response had arrived when this one was sent. */
  readonly sentAfter: number;
  /** Whether the registry count has not changed since. */
  readonly isSinceCount: boolean;
}

export interface KnownCompany {
  readonly entityId: string;
  readonly name: string | null;
}

export interface RecordsDue {
  readonly nowMs: number;
  /** A record fetched before this time is due. */
  readonly beforeMs: number;
  /** When the run started. A record fetched after that is not due, even if it is flagged. */
  readonly startedAtMs: number;
  readonly most: number;
  /** The ids to omit because they are in flight or waiting for a retry. */
  readonly except: ReadonlySet<string>;
  /**
   * Computes a record call's expected yield. Without this function, flagged records come first and outdated records
   * last.
   */
  readonly expectedYield?: (record: RatedRecord) => ExpectedYield;
}

/** The facts that determine a record call's expected yield. */
export interface RatedRecord {
  readonly why: 'never_fetched' | 'flagged' | 'stale';
  /** The class of the record's change rate (see `rateOfClass`). */
  readonly rateClass: number;
  readonly ageDays: number;
}

export interface ExpectedYield {
  /**
   * The expected number of days for which the call keeps one more record up to date. The planner compares calls by this
   * value.
   */
  readonly days: number;
  /** The expected number of outdated records that the call updates. */
  readonly repairs: number;
}

export interface DueRecord {
  readonly entityId: string;
  readonly why: 'never_fetched' | 'flagged' | 'stale' | 'missing' | 'wanted';
  /** Present if the request has `expectedYield`. */
  readonly expectedYield?: ExpectedYield;
}

/** The additional facts that a backfill needs. `failures` returns only failures since the backfill started. */
export interface BackfillKnowledge extends Knowledge {
  /** Returns whether the record is recent enough or has already been fetched by this backfill. */
  isFresh(entityId: string): boolean;
  /** The queries with recent enough listings. */
  freshQueries(): Iterable<QueryState>;
  /** The companies in the current listing of a query, in the upstream's order. */
  listed(query: SearchQuery): readonly Pick<ListedCompany, 'entityId' | 'name'>[];
}
