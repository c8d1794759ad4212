import type { Dialect } from '../../dialect/dialect.ts';
import type { BackfillKnowledge } from '../../knowledge.ts';
import type { Guard } from '../candidate.ts';
import { ContradictedListings } from '../contradicted_listings.ts';
import type { QueryScope } from '../discovery/discovery.ts';
import type { AgeLimit } from '../due.ts';
import { Pending } from '../pending.ts';
import { RankedPlanner } from '../ranked_planner.ts';
import { WantedRecords } from '../refresh/wanted_records.ts';
import { Searches } from '../searches.ts';
import { Statistics } from '../statistics.ts';
import { ScopedListing } from './scoped_listing.ts';
import type { WantedContext } from './wanted_context.ts';
import { type NameResult, WantedNames } from './wanted_names.ts';

/** The items in a backfill or watchlist. */
export interface Wanted {
  readonly entityIds: readonly string[];
  readonly names: readonly string[];
  readonly listings: readonly QueryScope[];
  /** Whether to fetch the records of companies that a search finds. */
  readonly withRecords: boolean;
}

/**
 * Plans only the calls for the wanted items: searches for names, listings of queries and prefixes, and then records. For
 * an ambiguous name, no record is fetched, because a person must choose the company.
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
    const records = new WantedRecords(knowledge, pending);
    for (const entityId of wanted.entityIds) records.want(entityId);
    const states = wanted.names.length + wanted.listings.length === 0 ? [] : [...knowledge.freshQueries()];
    const onFound = wanted.withRecords ? (entityId: string) => records.want(entityId) : () => {};
    const context: WantedContext = { knowledge, dialect, pending, states, onFound };
    const names = wanted.names.length === 0 ? null : new WantedNames(wanted.names, context);
    const listings = wanted.listings.map((listing) => new ScopedListing(listing, context));
    const listed = states.filter(({ query }) => listings.some((listing) => listing.includes(query)));
    super({
      sources: [
        ...(statistics === null ? [] : [new Statistics({ knowledge, age: statistics, pending })]),
        new ContradictedListings(listed, pending),
        new Searches({
          goals: names === null ? listings : [names, ...listings],
          pending,
          worth: () => COMPANY_VALUE,
        }),
        records,
      ],
      guards,
      pending,
      kinds: new Set(['search', 'entity']),
      knownCount: () => knowledge.knownCount(),
    });
    this.#names = names;
    this.#listings = listings;
    this.#records = records;
  }

  /** Returns whether one of these companies' records is still to be fetched. */
  isFetching(entityIds: Iterable<string>): boolean {
    return Iterator.from(entityIds).some((entityId) => this.#records.isWanted(entityId));
  }

  /** Returns what was found for the wanted name with this index. */
  finding(at: number): NameResult {
    return this.#names?.finding(at) ?? { is: 'open' };
  }

  /** Returns the wanted listing with this index. */
  listing(at: number): Pick<ScopedListing, 'isDone' | 'found' | 'total'> {
    return this.#listings[at] as ScopedListing;
  }
}

/** Returns whether the registry count is needed to decide if several names can share a search. */
export function needsCount(dialect: Dialect, names: readonly string[]): boolean {
  return names.length > 1 && dialect.search.matches !== 'unknown' && dialect.stats.total !== null;
}

/** The value of a company that a search finds. A record's value is at most 1, unless it proves a deletion. */
const COMPANY_VALUE = 2;
