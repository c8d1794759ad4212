import { LRUCache } from 'lru-cache';
import type { CompanyQuery } from '../names/query_matching.ts';

/**
 * The companies that the service can return. The sandbox and `serve` read them from SQLite files. All methods are
 * synchronous. They return JSON text that can be sent unchanged, so that numbers keep all their digits.
 */
export interface Catalogue {
  /** Returns the companies that match a query now. */
  matches(query: CompanyQuery): Listing;
  /**
   * Returns a query's matches, in an order that is stable while the catalogue does not change. If `reader` is given,
   * later pages can keep this order even when the catalogue changes.
   */
  search(query: CompanyQuery, reader?: Reader): Matches;
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

interface ListingSource {
  /** Finds the keys of all companies that match a query, in a fixed order. */
  find(query: CompanyQuery): Uint32Array;
  /** Returns the id of the company with this key, or null if the company no longer exists. */
  entityId(key: number): string | null;
  /** Returns a value that changes when a query can have other matches. */
  version(): string;
}

/** A query's matches. */
interface Listing {
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

/** The keys of a query's matches at one time. */
interface FoundKeys {
  readonly version: string;
  readonly keys: Uint32Array;
}

/** One account that reads a listing page by page. */
interface Reading {
  readonly listing: FoundKeys;
  readonly atMs: number;
}

/**
 * Finds a query's matches once and keeps them for its later pages. The first page shows the current matches. An
 * account's later pages come from the same listing, so that no row is repeated or missing while the data change.
 */
export class Listings {
  readonly #source: ListingSource;
  readonly #current = new LRUCache<string, FoundKeys>({ maxSize: MAX_BYTES, sizeCalculation: bytesOf });
  readonly #readings = new LRUCache<string, Reading>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ listing }) => bytesOf(listing),
  });

  constructor(source: ListingSource) {
    this.#source = source;
  }

  matches(query: CompanyQuery, reader: Reader | undefined, nowMs: number): Listing {
    const { keys } = reader === undefined ? this.#find(query) : this.#read(query, reader, nowMs);
    return {
      total: keys.length,
      ids: (from, count) =>
        [...keys.subarray(from, from + count)]
          .map((key) => this.#source.entityId(key))
          .filter((id) => id !== null),
    };
  }

  #read(query: CompanyQuery, { account, from }: Reader, nowMs: number): FoundKeys {
    const name = `${account}\n${nameOf(query)}`;
    const before = from === 0 ? undefined : this.#readings.get(name);
    const isRecent = before !== undefined && nowMs - before.atMs <= KEPT_MS;
    const listing = isRecent ? before.listing : this.#find(query);
    this.#readings.set(name, { listing, atMs: nowMs });
    return listing;
  }

  #find(query: CompanyQuery): FoundKeys {
    const name = nameOf(query);
    const version = this.#source.version();
    const known = this.#current.get(name);
    if (known?.version === version) return known;
    const listing = { version, keys: this.#source.find(query) };
    this.#current.set(name, listing);
    return listing;
  }
}

function bytesOf({ keys }: FoundKeys): number {
  return keys.byteLength + OVERHEAD_BYTES;
}

function nameOf({ by, text, names, identifiers }: CompanyQuery): string {
  return `${by} ${names} ${identifiers} ${text}`;
}

/** If an account requests no further page for this long, the next page shows the current matches. */
const KEPT_MS = 5 * 60_000;
const OVERHEAD_BYTES = 4_000;
const MAX_BYTES = 128 * 1024 * 1024;
