import type { SearchQuery } from './call.ts';
import type { EstimateState } from './change_rate/change_estimates.ts';
import type { Failure, ListedCompany, QueryState } from './load_result.ts';
import type { CompaniesWith, TextsInOrder, WordsInOrder } from './names/ordered_texts.ts';

export type { Failure, ListedCompany, LoadResult, QueryState } from './load_result.ts';

/**
 * What plan may look up: a small read-only view of the warehouse. The simulations implement the same
 * interface in memory.
 */
export interface Knowledge {
  /** Companies listed or fetched so far. */
  knownCount(): number;
  /** The registry's own latest count and when it was observed; null: never asked, or it gives none. */
  latestStats(): { readonly observedAtMs: number; readonly total: number | null } | null;
  /** Statistics calls ever made with this warehouse. */
  statsCallsMade(): number;
  /** The state of every query asked so far, in no particular order. */
  queries(): Iterable<QueryState>;
  /**
   * How many companies each search found for the first time, the last search first; listings made again do not count.
   * Since the registry's own count last changed: what it counted before may have been out of reach.
   */
  newBySearches(): Iterable<number>;
  /** Known companies (id and name as last seen), streamed. */
  knownCompanies(): Iterable<KnownCompany>;
  /** Their names, or their identifiers, as searches compare them. What is loaded later is among them. */
  textsInOrder(by: SearchQuery['by']): TextsInOrder;
  /** The words of their names; null: nothing counts them. What is loaded later is among them. */
  wordsInOrder(companies: CompaniesWith): WordsInOrder | null;
  /** Entities whose record is due, the most valuable first. */
  recordsDue(ask: RecordsDue): DueRecord[];
  /** How often companies change and how many changes a listing shows, as learned so far. */
  changeEstimates(): EstimateState;
  /** How many fetched companies are in each class of change rates. A scan: to be asked seldom. */
  rateClasses(): ReadonlyMap<number, number>;
  /** Targets that failed and may be tried again only later. */
  failures(): Iterable<Failure>;
  /**
   * Some known entity answered 404, and nothing shows yet what this upstream answers for an id that never
   * existed: one control call would tell (deletion needs proof).
   */
  controlNeeded(): boolean;
}

export interface KnownCompany {
  readonly entityId: string;
  readonly name: string | null;
}

export interface RecordsDue {
  readonly nowMs: number;
  /** A record that was fetched before this time is due. */
  readonly beforeMs: number;
  /** When the run began: no record that was fetched since is due, not even a flagged one. */
  readonly startedAtMs: number;
  readonly most: number;
  /** Ids that are in flight or waiting for a retry. */
  readonly except: ReadonlySet<string>;
  /** What fetching a record is worth; without it, flagged ones come first, and the oldest last of all. */
  readonly expectedYield?: (record: RatedRecord) => ExpectedYield;
}

/** What the worth of a fetch depends on. */
export interface RatedRecord {
  readonly why: 'never_fetched' | 'flagged' | 'stale';
  /** See `rateOfClass`. */
  readonly rateClass: number;
  readonly ageDays: number;
}

export interface ExpectedYield {
  /** Days for which one more record will be right: what calls are compared by. */
  readonly days: number;
  /** Records out of date that the call repairs, as expected. */
  readonly repairs: number;
}

export interface DueRecord {
  readonly entityId: string;
  readonly why: 'never_fetched' | 'flagged' | 'stale' | 'missing' | 'wanted';
  /** Where the ask says how it is found. */
  readonly expectedYield?: ExpectedYield;
}

/** What the plan of a backfill may look up beyond what every plan may. Its `failures` are those since it began. */
export interface BackfillKnowledge extends Knowledge {
  /** Is this record to be left as it is: fetched lately, or asked for by this backfill? */
  isFresh(entityId: string): boolean;
  /** Queries listed so lately that their listing counts. */
  freshQueries(): Iterable<QueryState>;
  /** The companies that the current listing of a query has shown, in order. */
  listed(query: SearchQuery): readonly Pick<ListedCompany, 'entityId' | 'name'>[];
}
