import { LRUCache } from 'lru-cache';
import type { CompanyQuery } from '../names/query_matching.ts';
import type { NameFinder } from '../warehouse/name_finder.ts';

/**
 * The companies that the service can return. The sandbox and `serve` read them from SQLite files. All methods are
 * synchronous. They return JSON text that can be sent unchanged, so that numbers keep all their digits.
 */
export interface Catalogue {
  /**
   * Returns a query's matches, in an order that is stable while the catalogue does not change. The reader's later pages
   * can keep this order even when the catalogue changes.
   */
  search(query: CompanyQuery, reader: Reader): Matches;
  /**
   * Returns the response to a request for one record. `atMs` requests the record as it was known at that time, and null
   * the current record.
   *
   * @throws RejectedRequest if there is none.
   */
  record(id: string, atMs: number | null): CatalogueRecord;
  /** Returns the response to a request for the statistics. */
  stats(): string;
}

interface Matches {
  readonly total: number;
  /** Returns the list items of at most `count` matches, starting at position `from` (counted from 0). */
  items(from: number, count: number): readonly string[];
}

export interface CatalogueRecord {
  readonly text: string;
  /**
   * Response headers about this record, such as its age. If there is an `etag`, clients can send `If-None-Match`.
   */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A query's matches. */
export interface Listing {
  readonly total: number;
  /** Returns the ids of at most `count` matches, starting at position `from` (counted from 0). */
  ids(from: number, count: number): readonly string[];
}

/** The account that requests a page, and the page's position. */
interface Reader {
  readonly account: string;
  /** The position of the first requested row, counted from 0. */
  readonly from: number;
}

/**
 * Finds a query's matches once and keeps them while the version of the data stays the same. If a reader is given, they
 * are kept for its later pages too, so that no row is repeated or missing while the data change.
 */
export class Listings {
  readonly #finder: Pick<NameFinder, 'find' | 'entityId'>;
  readonly #keys = new LRUCache<string, Uint32Array>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ byteLength }) => byteLength + OVERHEAD_BYTES,
    ttl: KEPT_MS,
    updateAgeOnGet: true,
  });

  constructor(finder: Pick<NameFinder, 'find' | 'entityId'>) {
    this.#finder = finder;
  }

  matches(query: CompanyQuery, version: number, reader: Reader | null): Listing {
    const current = JSON.stringify([version, query]);
    const own = reader === null ? current : JSON.stringify([reader.account, query]);
    const begun = reader === null || reader.from === 0 ? undefined : this.#keys.get(own);
    const keys = begun ?? this.#keys.get(current) ?? this.#finder.find(query);
    if (begun === undefined) this.#keys.set(current, keys);
    this.#keys.set(own, keys);
    return {
      total: keys.length,
      ids: (from, count) =>
        [...keys.subarray(from, from + count)]
          .map((key) => this.#finder.entityId(key))
          .filter((id) => id !== null),
    };
  }
}

/** If no further page is requested for this long, the next page shows the current matches. */
const KEPT_MS = 5 * 60_000;
const OVERHEAD_BYTES = 4_000;
const MAX_BYTES = 128 * 1024 * 1024;
